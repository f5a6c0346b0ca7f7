// kesco-report writes one page about all reports of a folder: each function once, what could gain most first.
// RUN: rm -rf %t && mkdir -p %t/src %t/out && cp %s %t/src/a.cu && cd %t
// RUN: printf '#define SECOND\n#include "a.cu"\nvoid only_in_b(int *a) { fill<1><<<1, 1>>>(a); }\n' >src/b.cu
// RUN: for unit in a b; do \
// RUN:   %kesco-host -c src/$unit.cu -o $unit.o -fplugin-arg-kesco-report=plans/in/ || exit 1; \
// RUN: done
// RUN: %check-report plans/in/*.json
// RUN: kesco-report plans -o out/page.html && FileCheck %s --input-file=out/page.html
// RUN: sed -e '/^<script>/,/^<.script>/d' -e '/^<style>/,/^<.style>/d' out/page.html >page.xml && %check-xml page.xml
// CHECK: <title>KeSCo: plans of 2 source files</title>
// CHECK: <b>3</b><span>steps to gain at most</span>
// CHECK: Sorted by the steps that could be gained at most:
// CHECK: id="f0"{{.*}}data-tags="gain lanes barriers guards"
// CHECK-NEXT: <span class="name">use(int*, int*)</span><span class="where">src/a.cu in src/b.cu</span>
// CHECK-SAME: up to 1 step to gain{{.*}}6 serial, <b>4 planned</b>, 3 free
// CHECK: <li><a href="../src/a.cu#L[[CALL:[0-9]+]]">src/a.cu:[[CALL]]</a> call to unknown function 'unknown()'<code>stopped(a, b);</code></li>
// CHECK-NEXT: </ul>
// CHECK: <svg class="plan"
// CHECK: <tr class="stop"><td><a href="../src/a.cu#L[[CALL]]">[[CALL]]</a></td><td>    stopped(a, b);
// CHECK-NEXT: <span class="why">{{.*}} barrier: call to unknown function 'unknown()'</span></td></tr>
// CHECK: <span class="name">use_here(int*, int*)</span>
// CHECK: The same as that of <a href="#f0"><code>use(int*, int*)</code></a>.
// CHECK: <span class="name">stopped(int*, int*)</span><span class="where">src/a.cu, the same in 2 source files</span>
// CHECK-SAME: up to 1 step to gain{{.*}}4 serial, <b>3 planned</b>, 2 free
// CHECK: <li><a href="../src/a.cu#L[[LINE:[0-9]+]]">src/a.cu:[[LINE]]</a> call to unknown function 'unknown()'<code>unknown(); // &quot;&lt;/script&gt;</code></li>
// CHECK: <tr class="stop"><td><a href="../src/a.cu#L[[LINE]]">[[LINE]]</a></td><td>    unknown(); // &quot;&lt;/script&gt;
// CHECK: <span class="name">helper(int*, int*)</span>
// CHECK-NOT: <span class="name">stopped(int*
// CHECK: <span class="name">operator&lt;&lt;(stream&amp;, int*)</span>
// CHECK: <span class="name">only_in_b(int*)</span><span class="where">src/b.cu</span>
// CHECK-NOT: could not be read

// Files that the compiler was given by absolute names, as CMake does, have the names that they have from here.
// RUN: %kesco-host -c %t/src/b.cu -o b.o -fplugin-arg-kesco-report=absolute/ && kesco-report absolute | FileCheck %s --check-prefix=ABSOLUTE
// ABSOLUTE: <span class="name">use(int*, int*)</span><span class="where">src/a.cu in src/b.cu</span>
// ABSOLUTE: <a href="src/a.cu#L{{[0-9]+}}">src/a.cu:{{[0-9]+}}</a> call to unknown

// From a folder beside them, as CMake's builds are, all are found.
// RUN: mkdir beside && cd beside && %kesco-host -c %t/src/b.cu -o b.o -fplugin-arg-kesco-report=plans/ && kesco-report plans >page.html
// RUN: cd %t && FileCheck %s --input-file=beside/page.html --check-prefix=BESIDE --implicit-check-not="could not be read"
// BESIDE: <a href="../src/a.cu#L{{[0-9]+}}">{{.*}}/src/a.cu:{{[0-9]+}}</a> call to unknown

// Where makefiles call others, each has relative names of its own: the reports say where they start, unless the command does.
// RUN: mkdir -p sub/x sub/y && cp src/a.cu sub/x/one.cu && (echo '// moved' && cat src/a.cu) >sub/y/one.cu
// RUN: for in in x y; do (cd sub/$in && %kesco-host -c one.cu -o one.o -fplugin-arg-kesco-report=%t/sub/plans/) || exit 1; done
// RUN: %check-report sub/plans/*.json && kesco-report sub/plans | FileCheck %s --check-prefix=SUB --implicit-check-not="could not be read"
// SUB-DAG: <span class="name">stopped(int*, int*)</span><span class="where">sub/x/one.cu</span>
// SUB-DAG: <span class="name">stopped(int*, int*)</span><span class="where">sub/y/one.cu</span>
// RUN: kesco-report --source-root=sub/x sub/plans | grep '<span class="where">one.cu</span>'
// RUN: %kesco-host -c src/a.cu -o a.o -fdebug-compilation-dir=. -fplugin-arg-kesco-report=sub/none.json && not grep '"folder"' sub/none.json

// Nothing in it comes from elsewhere.
// RUN: not grep -E '(src|href)="?(https?:)?//|@import|url\((https?:)?//' out/page.html

// To standard output, links start at the current folder; without source files there are none, and a word on that; the
// same reports make the same page.
// RUN: kesco-report plans/in/*.json >all.html && grep -c 'href="src/a.cu#L' all.html
// RUN: kesco-report plans >again.html && cmp all.html again.html
// RUN: kesco-report --source-root=out plans | FileCheck %s --check-prefix=NONE --implicit-check-not='href="../src'
// NONE: 2 source files could not be read, so that there are no links to them: <code>--source-root=FOLDER</code>
// RUN: cp all.html link.html && ln -sf link.html to.html && kesco-report plans -o to.html && test -L to.html
// RUN: env PATH=%build/bin kesco-report plans -o no.html 2>&1 | FileCheck %s --check-prefix=DOT
// DOT: kesco-report: the page has no data-flow graphs: there is no program 'dot' on PATH
// RUN: grep 'There are no data-flow graphs: there is no program' no.html

// A build's folder has other JSON, too, which is passed over, but not where it is named.
// RUN: mkdir more && cp plans/in/*.json more && echo '[{"directory": "/"}]' >more/compile_commands.json
// RUN: kesco-report more 2>others >more.html && cmp more.html all.html && FileCheck %s --input-file=others --check-prefix=MORE
// RUN: not kesco-report more/compile_commands.json 2>&1 | FileCheck %s --check-prefix=OTHER
// MORE: kesco-report: more: passed over what is JSON, but no report: 1 file
// OTHER: kesco-report: more/compile_commands.json: no report of KeSCo: it has not the fields 'version', 'source' and 'functions'

// What is no report is named, and there is no page.
// RUN: mkdir none bad && cp plans/in/a-*.json bad/a.json
// RUN: not kesco-report none 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: sed 's/"version": 1/"version": 2/' bad/a.json >bad/version.json
// RUN: printf '{"version": 1,' >bad/cut.json
// RUN: sed 's/"on": [0-9]*/"on": 999/; s/"lane": 1/"lane": 7/' bad/a.json >bad/number.json
// RUN: sed 's/"kind": "kernel"/"kind": "dance"/' bad/a.json >bad/word.json
// RUN: echo old >page.html && not kesco-report bad -o page.html 2>&1 | FileCheck %s --check-prefix=BAD && grep old page.html
// RUN: not kesco-report plans -o none/none/page.html 2>&1 | FileCheck %s --check-prefix=OUT
// RUN: not kesco-report plans -o /dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not kesco-report plans missing 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not kesco-report 2>&1 | FileCheck %s --check-prefix=USAGE
// RUN: not kesco-report --source-rot=out plans 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: kesco-report --help | grep '^usage: kesco-report' && kesco-report --version | grep '^kesco-report [0-9]'
// EMPTY: kesco-report: none: there are no reports in this folder, whose names end in .json; -fplugin-arg-kesco-report=FOLDER/ writes them
// BAD: kesco-report: bad/cut.json: no report of KeSCo: line 1 is no JSON:
// BAD-NEXT: kesco-report: bad/number.json: no report of KeSCo: {{.*}}: 'lane' is missing, or not a number from 0 to 1
// BAD-NEXT: kesco-report: bad/version.json: a report of version 2, where 1 is read; compile again
// BAD-NEXT: kesco-report: bad/word.json: no report of KeSCo: {{.*}}: 'kind' is 'dance', which is unknown
// BAD-NOT: {{.}}
// OUT: kesco-report: none/none/page.html: No such file or directory
// FULL: kesco-report: cannot write the page: Input/output error
// MISSING: kesco-report: missing: No such file or directory
// USAGE: kesco-report: a folder with reports is missing
// OPTION: kesco-report: did you mean --source-root? known options: --output, --source-root, --help, --version

// In a browser, where there is one: the script finds, and the picture of it is beside this test's output.
// RUN: if command -v chromium >/dev/null; then \
// RUN:   printf '<script>onload = () => { let s = document.getElementById("search"); s.value = "ONLY_in_b"; s.dispatchEvent(new Event("input")); };</script>' >>out/page.html && \
// RUN:   chromium --headless --no-sandbox --disable-gpu --window-size=1300,1500 --screenshot=%t/page.png file://%t/all.html && test -s %t/page.png && \
// RUN:   chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=2000 --dump-dom file://%t/out/page.html | grep '>1 of 6 functions<'; \
// RUN: fi

void unknown();

struct stream {};

template <int Value>
__attribute__((kesco_outputs(1))) __global__ void fill(int *out) { *out = Value; }

inline void helper(int *a, int *b) {
    fill<1><<<1, 1>>>(a);
    fill<2><<<1, 1>>>(b);
}

inline void stopped(int *a, int *b) {
    fill<1><<<1, 1>>>(a);
    fill<2><<<1, 1>>>(b);
    unknown(); // "</script>
    fill<3><<<1, 1>>>(b);
    unknown(); // "</script>
    fill<4><<<1, 1>>>(a);
}

stream &operator<<(stream &to, int *a) {
    fill<1><<<1, 1>>>(a);
    fill<2><<<1, 1>>>(a);
    return to;
}

#ifdef SECOND
void use(int *a, int *b) {
    stopped(a, b);
    helper(a, b);
}
#else
void use_here(int *a, int *b) {
    stopped(a, b);
    helper(a, b);
}
#endif
