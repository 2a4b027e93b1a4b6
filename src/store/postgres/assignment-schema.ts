/** Columns of runs that workers execute, and of workers: see assignment.ts. */
export const ASSIGNMENT = `
-- Of a run of workers ('cluster') that no process owns: wake: when it is due, null if only a signal makes it due. told: when workers were
-- told that it is. signals: how many were sent. needs: what its open blocks need, such as fractal@5. problem:
-- why the last owner could not execute it.
ALTER TABLE thinkon.runs ADD COLUMN wake bigint, ADD COLUMN told timestamptz, ADD COLUMN signals integer NOT NULL DEFAULT 0,
  ADD COLUMN needs text[] NOT NULL DEFAULT '{}', ADD COLUMN problem text;
CREATE INDEX runs_by_wake ON thinkon.runs (wake) WHERE wake IS NOT NULL;
-- Of a worker: what it has, and the kind of workers that have the same.
ALTER TABLE thinkon.owners ADD COLUMN has text[], ADD COLUMN kind text;
`
