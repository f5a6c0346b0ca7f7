# Bars for the speedups in DATA (samples/bench_report.h), as the file OUT, in the format that its name ends in:
#   gnuplot -e "DATA='chart.dat'; OUT='chart.svg'; TITLE='...'; SERIES=3" samples/bench_chart.gp
if (OUT[strlen(OUT) - 3:] eq ".png") set terminal pngcairo size 1200,560 font "sans,11"; \
else set terminal svg size 1200,560 font "sans,14" background "white"
set output OUT
set title TITLE noenhanced
set ylabel "speedup over the serial program"
set yrange [0:*]
set style data histogram
set style histogram clustered gap 1
set style fill solid
set boxwidth 0.9
set grid ytics linetype 1 linecolor rgb "#e0e0e0"
set border 3
set rmargin 8
set xtics nomirror scale 0
set ytics nomirror
set datafile missing "-"
set key outside bottom center horizontal reverse Left width 2 noenhanced
set label "serial" at graph 1.005, first 1
set offsets 0, 0, 0.15, 0
colours = "#9aa5b1 #4a6fa5 #e07a1f #2b3a67 #a33b20"
if (!exists("SERIES")) SERIES = 3
bar(i) = $0 - 1 + (i - 2 - (SERIES - 1) / 2.0) / (SERIES + 1.0) # bars and the gap make a workload; $0 counts the line of names, too
shown(i) = sprintf("%.2f", column(i))
plot 1 with lines linecolor rgb "#404040" dashtype 2 notitle, \
     for [i=2:SERIES + 1] DATA using i:xtic(1) linecolor rgb word(colours, i - 1) title columnheader(i), \
     for [i=2:SERIES + 1] DATA using (bar(i)):i:(shown(i)) with labels offset 0,0.6 font ",9" notitle
