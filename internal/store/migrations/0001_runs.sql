-- One row a run. record is the run as its recorder wrote it (JSON text); the
-- other columns are what runs are found and listed by.
CREATE TABLE runs (
	id      TEXT PRIMARY KEY,
	started INTEGER NOT NULL, -- Unix time in nanoseconds
	target  TEXT NOT NULL,    -- URL of the server, without credentials
	model   TEXT NOT NULL,
	level   TEXT NOT NULL,
	verdict TEXT NOT NULL,
	kilter  TEXT NOT NULL,    -- version that recorded the run
	bytes   INTEGER NOT NULL, -- length of record
	record  TEXT NOT NULL
) STRICT;

CREATE INDEX runs_started ON runs (started);
CREATE INDEX runs_target ON runs (target, model, started);
