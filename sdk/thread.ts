// Worker threads of plugins, for CPU-bound work.
import type { Capability, Remote } from './capability.ts'
import type { Tables } from './database.ts'
import type { Logger } from './logger.ts'
import type { ThreadWorkRegistry } from './work.ts'

/** The API inside a thread module. */
export interface ThreadHost {
  /** As `ctx.use`, and the objects in `offers`. Arguments and results are plain data. */
  use<T extends object>(reference: Capability<T>): Remote<T>
  readonly log: Logger
  /** As `ctx.work`. Holds end with the thread. */
  readonly work: ThreadWorkRegistry
  /**
   * The default export of a module that another plugin lent with `ctx.lendModule`, evaluated on this thread, once per
   * version. It runs as code of this thread, so limit its time and check its results.
   */
  load(module: LentModule): Promise<unknown>
  /**
   * A database file that the plugin has open with `ctx.openDatabase`, on this thread: statements are synchronous.
   * Concurrent writers wait for each other up to five seconds.
   */
  openDatabase(name: string): Tables
  /**
   * The thread ends when it is idle: no call is in progress, and neither side called the other for half a minute. The next
   * call starts it again, without what it remembered. Code that remembers something between calls that cannot be read
   * again prevents this until it calls the result.
   * @example const release = host.stay(); uploads.set(id, { chunks: [], release })
   */
  stay(): () => void
}

/** A compiled module of a plugin, for threads of other plugins. Plain data; another version has another `file`. */
export interface LentModule {
  readonly plugin: string
  readonly file: string
}

/** The default export of a thread module, called once when the thread starts. */
export type ThreadSetup<Work extends object> = (host: ThreadHost) => Work

export interface ThreadOptions {
  /** Objects that the thread may call, by capability token; they take precedence over capabilities. */
  readonly offers?: Readonly<Record<string, object>>
}

export interface OwnThread<Work extends object> {
  /**
   * The module's functions. The thread starts with the first call, ends when it is idle (`ThreadHost.stay`), and restarts
   * after a crash; calls in progress fail with `PLH_ABORTED` then. Arguments and results are plain data; arguments may
   * include abort signals, and a function may return an async iterable.
   */
  readonly work: Remote<Work>
  /**
   * Ends the thread at once, even in an endless loop; calls in progress fail with `PLH_ABORTED`. The next call starts it
   * again.
   */
  stop(): Promise<void>
}

/**
 * Starts a module of the plugin on a worker thread, by path relative to the plugin's folder. It may import the SDK, the
 * plugin's own files and Node modules. The thread ends with the plugin, after current work.
 */
export type StartThread = <Work extends object>(file: string, options?: ThreadOptions) => OwnThread<Work>

/**
 * Compiles a module of the plugin for `ThreadHost.load`, by path relative to the plugin's folder. Cached until one of
 * its files changes. Offer it as a function `module` of a capability: those of plugins that ship are compiled with the
 * service then.
 */
export type LendModule = (file: string) => Promise<LentModule>
