// Reports whether a migration is waiting for the database. That time does not count towards any limit of the plugin.
// Counted in memory that two threads may share.

export interface Running {
  /** Call the returned function when the statement has ended. */
  begin(): () => void
  isAny(): boolean
}

export function createRunning(cells: Int32Array<ArrayBufferLike> = new Int32Array(1), cell = 0): Running {
  return {
    begin() {
      Atomics.add(cells, cell, 1)
      let isOver = false
      return () => {
        if (!isOver) Atomics.sub(cells, cell, 1)
        isOver = true
      }
    },
    isAny: () => Atomics.load(cells, cell) > 0,
  }
}
