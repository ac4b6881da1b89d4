"""The service: what the library does, over HTTP. Needs the extra `serve`.

In reading order:

- `options.py`: what an operator chooses. `run.py`: the processes. `listening.py`: the socket, TLS, the
  log, and how it ends.
- `app.py`: which routes there are. `openapi.py`, `openapi_operations.py`: what is said of each. `gate.py`: what every request passes: limits, keys, headers, logs,
  figures. `keys.py`: who may do what.
- `engine.py`: one thread that finds and replaces; what waits is read together.
- `notes.py`: notes and options as requests have them, and answers; `v1.py`: our own routes.
- `presidio.py`, `presidio_anonymize.py`, `azure.py`, `azure_categories.py`: the routes of two services
  whose clients are there already.
- `spool.py`, `jobs.py`, `job_work.py`, `jobs_api.py`: files as jobs, encrypted at rest, worked on in memory.
  `folder_jobs.py`, `azure_jobs.py`: jobs over folders that the operator allows, as Azure's clients ask for
  them.
- `problems.py`: errors as answers. `metrics.py`: counts and times.

Nothing of a note is written anywhere but to the client and, sealed, to the spool; what may leave of a job
over folders, to its target. No word of a note stands in a log, a metric or an error.
"""
