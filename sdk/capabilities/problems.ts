// The capability family `problems:<source>`: what is not in sync, wrong or doubtful, each with its cause and one action.
// `GET /api/problems` joins all sources.
import { capabilityFamily } from '../capability.ts'
import { PlayheadError } from '../errors.ts'
import type { Origin } from '../origin.ts'
import type { Feature } from '../provider/features.ts'
import type { AccountName } from './accounts.ts'

/** A plugin that provides `PROBLEMS.of('sync')` names its causes; they are shown as `sync:<code>`. */
export const PROBLEMS = capabilityFamily<ProblemSource>('problems:')

/**
 * The action of a person on a problem. `match`: find the right title. `approve`: let held changes happen. `try_again`: another
 * run. `sign_in`, `open`: a page of Playhead. `open_at`: a page at the service, which `GET /api/problems` adds to problems with
 * a key where the service has one.
 */
export const PROBLEM_ACTIONS = ['match', 'approve', 'try_again', 'sign_in', 'open', 'open_at'] as const

export interface ProblemAction {
  readonly kind: (typeof PROBLEM_ACTIONS)[number]
  /** In English: "Try again", "Review". */
  readonly label: string
  /** Page of the browser application. */
  readonly path?: string
  /** For `open_at`: `https://…` Opened in a new tab. */
  readonly url?: string
  /** For `open_at`: whose service it is. */
  readonly account?: AccountName
  /** API call that resolves it, made after the person confirmed. */
  readonly call?: {
    readonly method: 'POST' | 'PUT' | 'DELETE'
    readonly path: string
    readonly body?: Readonly<Record<string, string | number | boolean | readonly string[]>>
  }
}

/** Each member narrows the problems; without any of them all are meant. */
export interface ProblemFilter {
  readonly pair_id?: string
  /** Only what this run left, as far as it is still a problem. */
  readonly run_id?: string
  readonly feature?: Feature
  readonly provider?: string
  /** Only together with `provider`; absent means all of its profiles. */
  readonly instance?: string
  /** Ignored problems instead of the others. */
  readonly ignored: boolean
}

/** Problems with one cause. */
export interface ProblemCause {
  /** Stable and unique within the source: `no_match`. Letters, digits, `_` and `-`. */
  readonly code: string
  readonly severity: 'error' | 'warning' | 'info'
  /** In English: "Could not be matched". */
  readonly title: string
  /** A sentence in English: why, and what to do. */
  readonly text: string
  /** Number of problems in `list`. */
  readonly rows: number
  /** Their part of `SyncStatus.count`, "n need you"; 0 for problems outside of the status. */
  readonly need_you: number
  /** The kind of action that its problems have. */
  readonly action: ProblemAction['kind']
  /** Whether `ignore` accepts its problems. */
  readonly can_ignore: boolean
  /** Whether `retry` accepts its problems. */
  readonly can_retry: boolean
  /** The problem if it is the only one, and at hand. */
  readonly only?: Problem
}

export interface Problem {
  /** Stable for the same problem, unique within the source, at most 1,500 characters. */
  readonly id: string
  /** The subject: a title, an account, a pair. */
  readonly title: string
  /** A sentence in English. */
  readonly text: string
  readonly need_you: number
  /** Key of the title, as in the library: `movie:tmdb:949`. */
  readonly key?: string
  /** `movie`, `show`, `season`, `episode`. */
  readonly type?: string
  readonly year?: number
  readonly feature?: Feature
  readonly pair_id?: string
  /** The accounts that the problem is about. */
  readonly accounts: readonly AccountName[]
  /** Epoch seconds. */
  readonly since?: number
  /** How often it was tried. */
  readonly attempts?: number
  /** The act that waits, or that made the difference. */
  readonly origin?: Origin
  /** The account that shows, or lacks, what Playhead wrote because of the act. Absent: the act itself was found. */
  readonly origin_carrier?: AccountName
  /** The first one is the main action. */
  readonly actions: readonly ProblemAction[]
}

/** Problems by id, at most 500, or all of one cause. */
export type ProblemSelection =
  | { readonly ids: readonly string[] }
  | { readonly code: string; readonly filter: ProblemFilter }

/** Ids and undo tokens of another source, or malformed ones, are `PLH_INVALID` (`invalid_problem`). */
export interface ProblemSource {
  /** Changes with every answer of `causes` and `list`. */
  revision(): Promise<string>
  /**
   * Causes without problems are left out. Most important first.
   *
   * @throws `PLH_NOT_FOUND` (`run_not_found`) for an unknown run
   */
  causes(filter: ProblemFilter): Promise<readonly ProblemCause[]>
  list(
    code: string,
    filter: ProblemFilter,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<readonly Problem[]>
  /** @returns how many it ignores, and a token with which `restore` undoes exactly that */
  ignore(selection: ProblemSelection): Promise<{ readonly count: number; readonly undo: string }>
  /** Shows ignored problems again. Returns their number. */
  restore(which: { readonly ids: readonly string[] } | { readonly undo: string }): Promise<number>
  /**
   * Tries again what was left, without its waiting time. `run_id` is null if nothing had to run.
   *
   * @throws `PLH_CONFLICT` (`already_running`)
   */
  retry(selection: ProblemSelection): Promise<{ readonly count: number; readonly run_id: string | null }>
}

/** The id of a problem, made of the values that distinguish it from others: `item/pair-1/history/…`. */
export function problemId(parts: readonly string[]): string {
  return parts.map(encodeURIComponent).join('/')
}

/**
 * The parts of an id that `problemId` made of that many.
 *
 * @throws `PLH_INVALID` (`invalid_problem`) for any other text
 */
export function problemParts(id: string, count: number): readonly string[] {
  const parts = id.split('/')
  if (parts.length !== count) throw invalidProblem()
  try {
    return parts.map(decodeURIComponent)
  } catch {
    throw invalidProblem()
  }
}

/** The error for ids and undo tokens that a source does not know, and for what it cannot do. */
export function invalidProblem(): PlayheadError {
  return new PlayheadError('PLH_INVALID', 'This problem does not exist, or it cannot be changed this way.', {
    wire: 'invalid_problem',
  })
}
