// Without anything to plan, pictures say so.
// RUN: %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-dot=%t.dot -fplugin-arg-kesco-svg=%t.svg
// RUN: %check-xml %t.svg && grep 'No function here launches kernels' %t.svg
// RUN: dot -Tcanon %t.dot >/dev/null && grep no_functions.cu %t.dot && not grep subgraph %t.dot

// A compilation for the device alone, and one that KeSCo stays out of, write none.
// RUN: rm -f %t.dot %t.svg
// RUN: %cuda --cuda-device-only -fplugin=%plugin -S %s -o /dev/null -fplugin-arg-kesco-dot=%t.dot -fplugin-arg-kesco-svg=%t.svg
// RUN: %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-off -fplugin-arg-kesco-dot=%t.dot -fplugin-arg-kesco-svg=%t.svg
// RUN: test ! -e %t.dot && test ! -e %t.svg

void nothing() {}
