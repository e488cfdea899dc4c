// Globals of plugins: timers that end with the generation, a process without exit, a console for the plugin's log
// channel, and no network except `ctx.upstream`. Hygiene, not a sandbox: plugins are trusted code.
import { PlayheadError } from '@playhead/sdk'
import type { PluginOutput } from './plugin-console.ts'
import { runAs, type Owner } from '../run/attribution.ts'
import { defined } from '@playhead/sdk/host'

interface PluginGlobals {
  /** The result of `require('playhead:globals')`. */
  readonly module: object
  /** Number of active timers. */
  timers(): number
  /** Clears all timers; later ones are refused. */
  close(): void
}

type Callback = (...args: unknown[]) => void

export function createPluginGlobals(
  owner: Owner,
  output: Pick<PluginOutput, 'console'> & Partial<PluginOutput>,
): PluginGlobals {
  const running = new Set<NodeJS.Timeout | NodeJS.Immediate>()
  let closed = false

  function own<Handle extends NodeJS.Timeout | NodeJS.Immediate>(start: (settle: () => void) => Handle): Handle {
    if (closed)
      throw new PlayheadError(
        'PLH_PLUGIN_DISPOSED',
        `Plugin "${owner.plugin}" was replaced; this code belongs to the old version and starts no more timers.`,
      )
    const handle: Handle = start(() => running.delete(handle))
    running.add(handle)
    return handle
  }
  const inside = (callback: Callback, args: unknown[]) => runAs(owner, () => callback(...args))

  const timers = {
    setTimeout: (callback: Callback, delayMs?: number, ...args: unknown[]) =>
      own((settle) =>
        setTimeout(() => {
          settle()
          inside(callback, args)
        }, delayMs),
      ),
    setInterval: (callback: Callback, everyMs?: number, ...args: unknown[]) =>
      own(() => setInterval(() => inside(callback, args), everyMs)),
    setImmediate: (callback: Callback, ...args: unknown[]) =>
      own((settle) =>
        setImmediate(() => {
          settle()
          inside(callback, args)
        }),
      ),
    clearTimeout: (handle?: NodeJS.Timeout) => stop(handle),
    clearInterval: (handle?: NodeJS.Timeout) => stop(handle),
    clearImmediate: (handle?: NodeJS.Immediate) => stop(handle),
  }

  function stop(handle: NodeJS.Timeout | NodeJS.Immediate | undefined): void {
    if (handle === undefined) return
    running.delete(handle)
    // Node's clear functions accept each other's handles, except for immediates.
    if ('hasRef' in handle && handle.constructor.name === 'Immediate') clearImmediate(handle as NodeJS.Immediate)
    else clearTimeout(handle as NodeJS.Timeout)
  }

  const refuse = (what: string) =>
    function refused(): never {
      throw new PlayheadError(
        'PLH_HOST_DENIED',
        `Plugin "${owner.plugin}" used ${what}. Open an account with ctx.upstream and declare the host under needs.hosts in plugin.json.`,
      )
    }

  const plainProcess = Object.freeze({
    version: process.version,
    versions: process.versions,
    platform: process.platform,
    arch: process.arch,
    env: Object.freeze({}),
    hrtime: process.hrtime,
    nextTick: process.nextTick,
    uptime: () => process.uptime(),
    memoryUsage: () => process.memoryUsage(),
    cwd: () => '/',
    ...defined({ stdout: output.stdout, stderr: output.stderr }),
    exit: exitRefused,
    abort: exitRefused,
    kill: exitRefused,
    on: refuseProcessEvents,
    once: refuseProcessEvents,
  })

  function refuseProcessEvents(): never {
    throw new PlayheadError(
      'PLH_PLUGIN_UNDECLARED',
      `Plugin "${owner.plugin}" listened on process. Use ctx.defer to clean up and ctx.signal to stop.`,
    )
  }

  return {
    module: {
      ...timers,
      fetch: refuse('fetch'),
      WebSocket: refuse('WebSocket'),
      EventSource: refuse('EventSource'),
      process: plainProcess,
      console: output.console,
    },
    timers: () => running.size,
    close() {
      closed = true
      for (const handle of running) stop(handle)
      running.clear()
    },
  }
}

/** Replaces `process.exit` for plugins. */
export function exitRefused(): never {
  throw new PlayheadError('PLH_PLUGIN_EXIT', 'A plugin tried to end the process. Only the host stops the service.')
}
