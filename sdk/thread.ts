// A thread of a plugin's own, for work that is too much for the thread on which everybody is answered.
import type { Capability } from './capability.ts'
import type { Logger, Remote, Tables } from './context.ts'

/** What a module on a thread works with. */
export interface ThreadHost {
  /**
   * As `ctx.use`, and what the plugin offers its thread (`offers`). Arguments and answers cross between threads: plain
   * data.
   */
  use<T extends object>(reference: Capability<T>): Remote<T>
  readonly log: Logger
  /**
   * The tables of a database file that the plugin keeps open with `ctx.openDatabase`, on this thread itself: statements
   * run at once. Others may write to the file as well; who writes waits for the other, up to five seconds.
   */
  openDatabase(name: string): Tables
}

/** The default export of a module that runs on a thread: called once when the thread starts. */
export type ThreadSetup<Work extends object> = (host: ThreadHost) => Work

export interface ThreadOptions {
  /** Objects whose functions the thread may call, by the tokens of their references; before capabilities of that name. */
  readonly offers?: Readonly<Record<string, object>>
}

export interface OwnThread<Work extends object> {
  /**
   * What the module gives. The thread starts with the first call, and once more after it ended; calls that it ended
   * over fail with `PLH_ABORTED`. Arguments and answers are plain data, and abort signals as arguments; a function may
   * also give an async iterable.
   */
  readonly work: Remote<Work>
}

/**
 * Starts a module of the plugin on a thread of its own, given relative to the plugin's folder. It may import the SDK,
 * the plugin's own files and Node's modules. The thread ends with the plugin, after the work that is under way.
 */
export type StartThread = <Work extends object>(file: string, options?: ThreadOptions) => OwnThread<Work>
