// Shapes of stored rows, except the state of mappings.

/** The plan of one list in a run, stored before it is applied. */
interface JournalPlan {
  /** Id of the endpoint. */
  readonly list: string
  readonly planId: string
  /** The state contains its outcomes. */
  readonly settled: boolean
}

/** The part of a run that is needed if the process ends. */
export interface Journal {
  readonly jobId: string
  readonly scope: string
  /** Epoch milliseconds. */
  readonly startedAtMs: number
  /** Plans whose outcomes may be missing in the state. */
  readonly plans: readonly JournalPlan[]
  /** The inputs of the plans, without long arrays. */
  readonly frame?: unknown
}

export interface RunningRun {
  readonly mappingId: string
  readonly journal: Journal
  readonly isOfThisProcess: boolean
  readonly isOwn: boolean
}

/** A list that is being created with its first item. */
export interface Creation {
  readonly title: string
  /** Ids of the existing lists of that kind before the creation. */
  readonly known: readonly string[]
  /** Key of the add that is being tried as the first item. */
  readonly key: string
}

export interface ActivityRow {
  /** Epoch seconds. */
  readonly ts: number
  readonly type: 'Sync' | 'Run'
  readonly status: 'completed' | 'partial' | 'error'
  readonly label: string
  readonly details: string
  readonly endpoint_id?: string
  readonly mapping_id?: string
  readonly added: number
  readonly removed: number
  /** Set for a run: rows of older versions lack these fields. */
  readonly moved?: number
  readonly unresolved?: number
  readonly run_id?: string
}
