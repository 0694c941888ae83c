# Draws the processor time of the five busiest processes in a log, perf.blg, into busiest.png.
import hkpd

df = hkpd.read("perf.blg", counters=[r"\Process(*)\% Processor Time"])
df = df[~df["instance"].isin(["_Total", "Idle"])].assign(process=hkpd.labels)
table = df.pivot_table(index="time", columns="process", values="value", observed=True)
busiest = table.sum().nlargest(5).index
axes = table[busiest].plot(ylabel="% Processor Time", xlabel="", figsize=(8, 3), marker=".")
axes.get_figure().savefig("busiest.png", dpi=100, bbox_inches="tight")
