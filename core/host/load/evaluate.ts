// Evaluates a compiled plugin so that it can be garbage collected.
//
// Node never unloads ES modules, and `require` caches modules in their parents. A manually created Module compiled with
// `_compile` does neither. V8's compilation cache is disabled only during evaluation, because it would retain the code;
// disabling it for the whole process slows down Fastify. `_compile` also maps stack traces, unlike vm.Script.
import Module, { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { isDefinedPlugin, type DefinedPlugin } from '@playhead/sdk'
import { runAs, type Owner } from '../run/attribution.ts'
import { LoadError, positionIn } from '../run/fault.ts'
import { mayImport, SHARED_MODULES, sharedModule, undeclaredModule } from './shared-modules.ts'

interface EvaluateRequest {
  readonly owner: Owner
  readonly directory: string
  /** The result of `require('playhead:globals')`. */
  readonly globals: object
  /** Node modules that the manifest requests beyond the safe ones. */
  readonly builtins: readonly string[]
}

interface CompilableModule extends Module {
  _compile(code: string, file: string): Evaluate
}

type Evaluate = (module: object, exports: object, require: (id: string) => unknown) => void

/**
 * Evaluates the code after `loadShared` and returns its definition. Throws a LoadError of phase `evaluate`. The code is
 * a separate parameter, because the plugin's `require` retains the request, and V8 already has a copy of the text.
 */
export function evaluatePlugin(code: string, request: EvaluateRequest): DefinedPlugin {
  const { owner, directory } = request
  // Stack traces show the generation and find the source map beside it.
  const file = join(directory, `${owner.plugin}.g${owner.generation}.cjs`)
  const outer = new Module(file) as CompilableModule
  outer.filename = file
  outer.paths = []
  const module = { exports: {} as { default?: unknown } }

  keepOutOfCompileCache()
  setFlagsFromString('--no-compilation-cache')
  try {
    runAs(owner, () => outer._compile(shadowed(code), file)(module, module.exports, requireOf(request)))
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

  const exported = module.exports.default
  if (isDefinedPlugin(exported)) {
    modules.set(exported, outer)
    return exported
  }
  throw new LoadError(
    'evaluate',
    'PLH_PLUGIN_EXPORT',
    `Plugin "${owner.plugin}" does not export what definePlugin returns as its default export.`,
  )
}

/** Node's own `require` and `module` lead to the loader, and so to every module and file. */
function shadowed(code: string): string {
  return `return function (module, exports, require) { ${code}\n}`
}

// Node keeps a source map as long as the module object, which has no other references.
const modules = new WeakMap<DefinedPlugin, Module>()

// Node's compile cache would store every version of every plugin and keep all in memory. It skips modules loaded by a
// custom wrapper, so the wrapper is set to its own value.
let isKeptOut = false
function keepOutOfCompileCache(): void {
  if (isKeptOut) return
  isKeptOut = true
  const loader = Module as unknown as { wrap: (code: string) => string }
  loader.wrap = loader.wrap.bind(Module)
}

// A separate function: a closure retains the variables of sibling closures.
function requireOf(request: EvaluateRequest): (id: string) => unknown {
  return (id) => importFor(request, id)
}

// Keep a reference: the seal of a plugin's thread removes the function.
const { getBuiltinModule } = process

function importFor({ owner, globals, builtins }: EvaluateRequest, id: string): unknown {
  if (id === 'playhead:globals') return globals
  const shared = sharedModule(id)
  if (shared !== undefined) return shared
  if (isBuiltin(id)) {
    const name = id.startsWith('node:') ? id : `node:${id}`
    if (mayImport(builtins, name)) return getBuiltinModule(name)
    throw denied(undeclaredModule(owner.plugin, name))
  }
  throw denied(
    `Plugin "${owner.plugin}" imports "${id}" while it runs. Plugins import ${SHARED_MODULES[0]}, their own files and bundled packages only.`,
  )
}

/** The error of an import that a plugin may not make. */
export function denied(message: string): LoadError {
  return new LoadError('evaluate', 'PLH_PLUGIN_IMPORT_DENIED', message)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
