// What the store holds beside the state of mappings.

/** A plan of one list of a run, written down before it is applied. */
interface JournalPlan {
  /** Id of the endpoint. */
  readonly list: string
  readonly planId: string
  /** Its outcomes are in the state. */
  readonly settled: boolean
}

/** A run, as far as it must be known if the process ends. */
export interface Journal {
  readonly jobId: string
  readonly scope: string
  /** Epoch milliseconds. */
  readonly startedAtMs: number
  /** Plans whose outcomes may not be in the state yet. */
  readonly plans: readonly JournalPlan[]
  /** What the plans follow from, without its long arrays. */
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
  /** Ids of the lists of the kind that were there before. */
  readonly known: readonly string[]
  /** Key of the add that is tried as the first item. */
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
  /** Of a run: rows of older versions have none of these. */
  readonly moved?: number
  readonly unresolved?: number
  readonly run_id?: string
}
