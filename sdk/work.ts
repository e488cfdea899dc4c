// Coordinates conflicting work. Everything that must not run beside other work holds its accounts, or the service, for
// its duration. Reading and showing needs no hold.

/** Releases a resource when the plugin ends. */
export type Release = () => void | Promise<void>

/**
 * `sync`: a run. `change`: changes to an account outside a run. `read`: an account is read and its rows are replaced.
 * `capture`, `restore` (of a capture), `backup`, `maintenance` (also the restore of a backup).
 */
export type WorkKind = 'sync' | 'change' | 'read' | 'capture' | 'restore' | 'backup' | 'maintenance'

export interface WorkAccount {
  readonly provider: string
  readonly instance: string
}

export interface WorkDescription {
  /** Shown to people, and `holder` of 409 answers. */
  readonly kind: WorkKind
  /** For people, for example `Capture of Plex (default)`. */
  readonly label: string
  /** Held alone. */
  readonly accounts?: readonly WorkAccount[]
  /** Runs alone: no other work is in progress. */
  readonly exclusive?: boolean
  /** Id of the hold that this is a part of. A part is neither blocked nor in conflict with that hold. */
  readonly within?: string
}

/** Ends with `release`, with the `using` block, or with the plugin. */
export interface WorkHold {
  readonly id: string
  /** Idempotent. */
  release(): void
  [Symbol.dispose](): void
}

export interface CurrentWork extends WorkDescription {
  readonly id: string
  readonly plugin: string
  readonly startedAtMs: number
}

/** Why work cannot begin now. */
export interface WorkObstacle {
  /** `busy`, or the code of a block. */
  readonly code: string
  /** For people. */
  readonly message: string
  /** The work that is in the way, if any. */
  readonly holder?: WorkKind
  readonly sinceMs: number
}

export interface BlockReason {
  /** snake_case, for example `disk_low`. */
  readonly code: string
  /** For people: the problem and its remedy. */
  readonly message: string
  /** Kinds of work that must not begin. Default: all. */
  readonly kinds?: readonly WorkKind[]
}

export interface WorkBlock extends BlockReason {
  readonly plugin: string
  readonly sinceMs: number
}

export interface WaitForWork {
  /** Aborting it gives up with `PLH_ABORTED`. */
  readonly signal?: AbortSignal
  /** Called if the work cannot begin at once, and whenever the reason changes. */
  readonly onWait?: (obstacle: WorkObstacle) => void
}

export interface WorkRegistry {
  /**
   * Begins now. Throws `PLH_CONFLICT` with the wire code of the obstacle and `{ holder, since }` (epoch seconds)
   * as details; a route that lets it through answers 409 `{ ok: false, error: 'busy', holder, since }`.
   *
   * @example
   * using hold = ctx.work.begin({ kind: 'capture', label: 'Capture of Plex (default)', accounts: [{ provider, instance }] })
   */
  begin(work: WorkDescription): WorkHold
  /** Begins in the order of requests, as soon as nothing is in the way. */
  beginWhenFree(work: WorkDescription, options?: WaitForWork): Promise<WorkHold>
  /** Current work, oldest first. */
  current(): readonly CurrentWork[]
  /** Keeps new work from beginning until released, for example while the disk is full. Current work continues. */
  block(reason: BlockReason): Release
  blocks(): readonly WorkBlock[]
}

/** The registry as a thread of a plugin sees it. Holds end with the thread. */
export interface ThreadWorkRegistry {
  begin(work: WorkDescription): WorkHold | Promise<WorkHold>
  beginWhenFree(work: WorkDescription, options?: Omit<WaitForWork, 'onWait'>): Promise<WorkHold>
}
