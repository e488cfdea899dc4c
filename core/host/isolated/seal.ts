// Blocks the usual ways of a plugin's own thread to resources outside its manifest: Node modules, the process, other
// threads, servers. Not a sandbox: code in one thread shares its memory, and a declared module may lead to others.
import { registerHooks } from 'node:module'
import { Server } from 'node:net'
import { pathToFileURL } from 'node:url'
import { PlayheadError } from '@playhead/sdk'
import { denied } from '../load/evaluate.ts'
import { exitRefused } from '../load/plugin-globals.ts'
import { mayImport, undeclaredModule } from '../load/shared-modules.ts'

interface SealRequest {
  readonly plugin: string
  readonly directory: string
  /** The declared Node modules, such as `node:fs`. */
  readonly builtins: readonly string[]
}

/** Functions of `process` that only read, or that Node itself calls. A function that Node adds later is refused. */
const KEPT: ReadonlySet<string> = new Set([
  '_fatalException',
  '_tickCallback',
  'availableMemory',
  'constrainedMemory',
  'cpuUsage',
  'cwd',
  'emitWarning',
  'getActiveResourcesInfo',
  'getegid',
  'geteuid',
  'getgid',
  'getgroups',
  'getuid',
  'hasUncaughtExceptionCaptureCallback',
  'hrtime',
  'memoryUsage',
  'nextTick',
  'ref',
  'resourceUsage',
  'setSourceMapsEnabled',
  'threadCpuUsage',
  'unref',
  'uptime',
])
const ENDS: ReadonlySet<string> = new Set(['exit', 'reallyExit'])
const SERVERS = ['node:net', 'node:tls', 'node:http', 'node:https', 'node:http2'] as const

/** Runs before the plugin is evaluated, once per thread: the core has already imported what it needs. */
export function sealThread({ plugin, directory, builtins }: SealRequest): void {
  const importBuiltin = process.getBuiltinModule
  const named = (name: string) => (name.startsWith('node:') ? name : `node:${name}`)

  function refuse(what: string): never {
    throw new PlayheadError(
      'PLH_PLUGIN_UNDECLARED',
      `Plugin "${plugin}" used ${what}, which plugins do not have. Use the plugin's context, or declare a Node module under needs.builtins in plugin.json.`,
    )
  }
  const fix = (target: object, name: string, value: unknown) =>
    Object.defineProperty(target, name, { value, writable: false, configurable: false, enumerable: true })

  const own = process as unknown as Record<string, unknown>
  for (const name of Object.getOwnPropertyNames(process)) {
    const member = Object.getOwnPropertyDescriptor(process, name)?.value as unknown
    if (typeof member !== 'function' || KEPT.has(name)) continue
    if (name === 'getBuiltinModule')
      fix(process, name, (id: string) => {
        if (!mayImport(builtins, named(id))) throw denied(undeclaredModule(plugin, named(id)))
        return importBuiltin(id)
      })
    // Node ends a thread with these after an uncaught error.
    else if (ENDS.has(name))
      fix(process, name, (code?: number) => (own['_exiting'] === true ? member.call(process, code) : exitRefused()))
    else fix(process, name, () => refuse(`process.${name}`))
  }
  // This function writes files.
  fix(process, 'report', undefined)

  const home = `${pathToFileURL(directory).href}/`
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context
      if (parentURL?.startsWith('file:') === true && !parentURL.startsWith(home)) return next(specifier, context)
      const found = next(specifier, context)
      if (found.url.startsWith('node:') && mayImport(builtins, found.url)) return found
      throw denied(undeclaredModule(plugin, found.url))
    },
  })

  if (SERVERS.every((name) => !builtins.includes(name)))
    fix(Server.prototype, 'listen', () => {
      throw new PlayheadError(
        'PLH_PLUGIN_UNDECLARED',
        `Plugin "${plugin}" started a server. Answer requests with routes, or declare node:http or node:net under needs.builtins in plugin.json.`,
      )
    })
}
