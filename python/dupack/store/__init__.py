"""Results of sweeps on disk: Parquet that survives anything and that every data tool opens.

=====================  ==========================================================================================
``runs/*.parquet``     a row per run: its settings, a column per axis of the sweep; its seed; the summary
``flows/*.parquet``    a row per flow of each run
``links/*.parquet``    a row per direction of a link of each run
``series/*.parquet``   a row per value of a time series, if the plan samples any
``sweep.json``         what is stored: title, overrides, seeds, version; the plan itself is ``plan.toml``
``journal/``           runs that are not in a Parquet file yet, a checked line each
``earlier/``           runs of earlier sweeps into the same store, that the present one does not ask for
=====================  ==========================================================================================

The column ``run`` joins the tables: a digest of all that a run's results depend on, namely what is simulated, the seed
and the program. A file's name ends in a digest of its bytes, so that damage is found. A file holds up to 10,000 runs.
A run's place in the sweep decides in which it is, so that the same sweep gives the same files, byte for byte, in
whatever order, by however many workers and after however many interruptions it was run.
"""
