// Runs a compiled plugin so that everything of it can be collected again.
//
// Node never unloads ES modules, and its require keeps parents' lists of children. A Module made by hand and compiled
// with `_compile` has neither: when the last reference goes, code and data go. V8's compilation cache would keep the
// code until memory gets tight, so it is off just while a plugin is evaluated (off for the whole process makes Fastify
// and its router rebuild many times slower). `_compile` is what every transpiling hook uses, and unlike vm.Script it
// maps stack traces.
import Module, { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { isDefinedPlugin, type DefinedPlugin } from '@playhead/sdk'
import { runAs, type Owner } from '../run/attribution.ts'
import { LoadError, positionIn } from '../run/fault.ts'
import { HARMLESS_BUILTINS, SHARED_MODULES, sharedModule } from './shared-modules.ts'

export interface EvaluateRequest {
  readonly owner: Owner
  readonly directory: string
  /** What `require('playhead:globals')` gives. */
  readonly globals: object
  /** Node modules that the manifest asks for beyond the harmless ones. */
  readonly builtins: readonly string[]
}

interface CompilableModule extends Module {
  _compile(code: string, file: string): void
}

/**
 * Evaluates the code, for which `loadShared` has been called, and gives its definition. Throws a LoadError of phase
 * `evaluate`. The code is not in the request, which the plugin's `require` holds: V8 keeps a text of its own, and a
 * second one of all plugins is megabytes.
 */
export function evaluatePlugin(code: string, request: EvaluateRequest): DefinedPlugin {
  const { owner, directory } = request
  // Stacks name the generation, and the map's sources are found beside it.
  const file = join(directory, `${owner.plugin}.g${owner.generation}.cjs`)
  const module = new Module(file) as CompilableModule
  module.filename = file
  module.paths = []
  module.require = requireOf(request)

  keepOutOfCompileCache()
  setFlagsFromString('--no-compilation-cache')
  try {
    runAs(owner, () => module._compile(code, file))
  } catch (error) {
    if (error instanceof LoadError) throw error
    throw new LoadError(
      'evaluate',
      'PLH_PLUGIN_EXPORT',
      `Plugin "${owner.plugin}" threw while it was loaded: ${messageOf(error)}`,
      { cause: error, position: positionIn(error instanceof Error ? (error.stack ?? null) : null, directory) },
    )
  } finally {
    setFlagsFromString('--compilation-cache')
  }

  const exported = (module.exports as { default?: unknown }).default
  if (isDefinedPlugin(exported)) {
    modules.set(exported, module)
    return exported
  }
  throw new LoadError(
    'evaluate',
    'PLH_PLUGIN_EXPORT',
    `Plugin "${owner.plugin}" does not export what definePlugin returns as its default export.`,
  )
}

// Node keeps a source map for as long as the module object lives, and nothing else holds that one.
const modules = new WeakMap<DefinedPlugin, Module>()

// The core's own modules come from Node's compile cache on disk (see start.js). It would store every version of every
// plugin and hold all of them in memory until the process ends. Node leaves it out for modules loaded by a wrapper that
// somebody set, so the wrapper is set, to what it is.
let isKeptOut = false
function keepOutOfCompileCache(): void {
  if (isKeptOut) return
  isKeptOut = true
  const loader = Module as unknown as { wrap: (code: string) => string }
  loader.wrap = loader.wrap.bind(Module)
}

// A function of its own: a closure made beside others holds whatever any of them uses.
function requireOf(request: EvaluateRequest): NodeJS.Require {
  return ((id: string) => importFor(request, id)) as NodeJS.Require
}

function importFor({ owner, globals, builtins }: EvaluateRequest, id: string): unknown {
  if (id === 'playhead:globals') return globals
  const shared = sharedModule(id)
  if (shared !== undefined) return shared
  if (isBuiltin(id)) {
    const name = id.startsWith('node:') ? id : `node:${id}`
    if (HARMLESS_BUILTINS.has(name) || builtins.includes(name)) return process.getBuiltinModule(name)
    throw denied(
      `Plugin "${owner.plugin}" imports ${name}. Declare it under needs.builtins in plugin.json, or use the plugin's context instead.`,
    )
  }
  throw denied(
    `Plugin "${owner.plugin}" imports "${id}" while it runs. Plugins import ${SHARED_MODULES[0]}, their own files and bundled packages only.`,
  )
}

function denied(message: string): LoadError {
  return new LoadError('evaluate', 'PLH_PLUGIN_IMPORT_DENIED', message)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
