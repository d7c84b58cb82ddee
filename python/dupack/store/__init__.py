"""Results of sweeps on disk, as Parquet files that are safe against crashes and that every data tool opens.

=====================  ==========================================================================================
``runs/*.parquet``     a row per run: its settings, a column per axis of the sweep; its seed; the summary
``flows/*.parquet``    a row per flow of each run
``links/*.parquet``    a row per direction of a link of each run
``series/*.parquet``   a row per value of a time series, if the plan samples any
``sweep.json``         what is stored: title, overrides, seeds, version, the least number of runs in ``runs``; the
                       plan itself is ``plan.toml``
``journal/``           runs that are not in a Parquet file yet, one line with a checksum each
``earlier/``           runs of earlier sweeps in the same store that the present one does not include
=====================  ==========================================================================================

The column ``run`` joins the tables. It is a digest of all that a run's results depend on: what is simulated, the seed
and the program. A file's name ends in a digest of its bytes, so damage is detected; the number of runs in
``sweep.json`` detects deleted files. A file holds up to 10,000 runs. The position of a run in the sweep determines its
file. The same sweep therefore gives the same files, byte for byte, for any order of runs, any number of workers and any
interruptions.
"""
