// One loaded version of the plugin in a test: its context, and everything it registered.
import { readFile } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import type { EventBus, Inspection, PluginContext, HostInputs } from '../context.ts'
import type { OpenDatabase } from '../database.ts'
import type { StartThread } from '../thread.ts'
import { HEALTH_DETAIL, type HealthFact } from '../hooks.ts'
import { tokenOf, type Capability } from '../capability.ts'
import type { DefinedPlugin } from '../define.ts'
import { PlayheadError } from '../errors.ts'
import { isSecretPath, maskSecrets } from '../secrets.ts'
import { createApp } from './app.ts'
import { createRemote } from './capabilities.ts'
import { tapRecord, type TapRecord } from './hooks.ts'
import { createJobs } from './jobs.ts'
import { createServices } from './services.ts'
import type { Settings } from './settings.ts'
import type { TestGeneration, World } from './world.ts'

const SETUP_LIMIT_MS = 10_000
const CHECK_LIMIT_MS = 5_000

/** Loads the plugin as the host would. When that fails nothing of it is left. */
export async function createGeneration(plugin: DefinedPlugin, world: World, number: number): Promise<TestGeneration> {
  const { manifest, isDeclared, log } = world
  const { id } = manifest
  const end = new AbortController()
  const releases = new AsyncDisposableStack()
  const taps: TapRecord[] = []
  const capabilities = new Map<string, object>()
  const delayed: ((signal: AbortSignal) => void | Promise<void>)[] = []
  let configListener: TestGeneration['configListener'] = null
  let isSealed = false

  const own = (what: string, release: () => unknown) =>
    releases.defer(async () => {
      try {
        await release()
      } catch (error) {
        world.onFailure(what, error)
      }
    })
  const open = (what: string) => {
    if (isSealed) {
      throw new PlayheadError(
        'PLH_PLUGIN_UNDECLARED',
        `The plugin called ${what} after it went live. Register everything in setup().`,
      )
    }
  }

  const upstream = world.hub.factory({
    plugin: id,
    allowedHosts: world.allowedHosts,
    signal: end.signal,
    log,
    run: (work) => work(),
  })
  own('upstream connections', () => upstream.close())
  const jobs = createJobs({ now: world.now, signal: end.signal })

  const events: EventBus = {
    emit: (name, data) => world.events.emitAs(id, name, data),
    recent: world.events.recent,
    on(name, listener) {
      open('events.on')
      own('a listener', world.events.listen(name, listener))
    },
  }
  const openDatabase: OpenDatabase = async (name, options) => {
    if (manifest.needs?.database !== true) {
      throw new PlayheadError(
        'PLH_PLUGIN_UNDECLARED',
        'The plugin opens a database of its own but does not declare it. Set needs.database in plugin.json.',
      )
    }
    const database = await world.openDatabase(name, options)
    own(`database ${name}`, () => database.close())
    return database
  }
  const startThread: StartThread = (file, options) => {
    const thread = world.startThread(file, options, (token) => createRemote(token, () => world.find(token)))
    own(`thread ${file}`, () => thread.close())
    return thread as never
  }
  const inputs: HostInputs<Settings> = {
    get config() {
      return world.settings()
    },
    log,
    signal: end.signal,
    store: world.store,
    db: world.database.db,
    openDatabase,
    startThread,
    files: world.files,
    events,
    streams: world.streams,
    upstream: { account: (options) => upstream.account(options) },
    host: {
      version: '0.0.0-test',
      startedAtMs: world.startedAtMs,
      debug: () => false,
      redact: (text) =>
        secretsIn(world.settings()).reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text),
      plugins: () => [
        {
          id,
          name: manifest.name,
          version: manifest.version,
          kind: manifest.kind,
          state: 'active',
          generation: number,
          faults: 0,
          reloads: number - 1,
        },
      ],
      logChannels: () => (manifest.logChannels ?? []).map(({ tag, watcher = false }) => ({ tag, watcher })),
      upstream: () => world.hub.stats(),
      upstreamCalls: () => world.hub.calls(),
      process: () => ({
        rssBytes: 100e6,
        heapUsedBytes: 40e6,
        heapLimitBytes: 400e6,
        externalBytes: 5e6,
        cpuUserSeconds: 1,
        cpuSystemSeconds: 0.5,
        loopDelayMs: { mean: 1, p99: 2, max: 3 },
      }),
      health: async () => (await world.call(HEALTH_DETAIL, {})) as readonly HealthFact[],
    },
  }

  const inspection: Inspection = {
    runtime: () => ({ node: process.version, platform: process.platform, architecture: process.arch }),
    settings: () => ({ plugins: { [id]: maskSecrets(world.settings(), isSecretPath) } }),
    plugins: () => [
      {
        id,
        name: manifest.name,
        version: manifest.version,
        kind: manifest.kind,
        state: 'active',
        last_error: null,
        jobs: jobs.states(),
      },
    ],
  }

  const use = <T extends object>(reference: Capability<T>) => {
    const token = tokenOf(reference)
    return createRemote<T>(token, () => world.find(token))
  }
  const ctx: PluginContext<Settings, Record<string, unknown>> = Object.freeze({
    id,
    manifest: world.manifest,
    generation: number,
    ...inputs,
    get config() {
      return world.settings()
    },
    services: createServices(plugin.services ?? {}, inputs, () => ctx, own),
    tap(hook, options, run) {
      world.hookRules.check(hook)
      open(`a tap of ${hook.name}`)
      taps.push(tapRecord(hook, options, run))
    },
    assets: {
      path: (relative: string) => assetPath(world.directory, relative),
      read: async (relative: string) => readFile(assetPath(world.directory, relative)),
    },
    provide(reference, value) {
      open('provide')
      const token = tokenOf(reference)
      if (isDeclared && !manifest.provides?.includes(token)) {
        throw new PlayheadError(
          'PLH_PLUGIN_UNDECLARED',
          `The plugin provides "${token}" but does not declare it. Add it to "provides" in plugin.json.`,
        )
      }
      if (typeof value !== 'object' || value === null)
        throw new TypeError(`The capability "${token}" must be an object.`)
      if (capabilities.has(token))
        throw new PlayheadError('PLH_CAPABILITY_CONFLICT', `The plugin provides "${token}" twice.`)
      capabilities.set(token, value)
    },
    use,
    tryUse: (reference) => (world.tokens().includes(tokenOf(reference)) ? use(reference) : undefined),
    capabilities: ({ prefix, of }) =>
      world
        .tokens()
        .filter((token) => token.startsWith(prefix))
        .map((token) => of(token.slice(prefix.length))),
    signIn() {
      if (!isDeclared || manifest.needs?.signIn !== undefined) return world.signIn
      throw new PlayheadError(
        'PLH_PLUGIN_UNDECLARED',
        'The plugin lets people in but does not declare it. Set needs.signIn in plugin.json.',
      )
    },
    inspect() {
      if (!isDeclared || manifest.needs?.inspect === true) return inspection
      throw new PlayheadError(
        'PLH_PLUGIN_UNDECLARED',
        'The plugin inspects the service but does not declare it. Set needs.inspect in plugin.json.',
      )
    },
    async callHook(hook, input) {
      const { name } = hook
      if (!(plugin.hooks ?? []).some((own) => own.name === name)) {
        throw new PlayheadError(
          'PLH_HOOK_UNKNOWN',
          `The plugin calls the hook "${name}"; a plugin calls the hooks that it declares in definePlugin({ hooks }).`,
        )
      }
      return (await world.call(hook, input)) as never
    },
    every(interval, name, work, options) {
      open('every')
      jobs.add(name, { every: interval }, work, options)
    },
    schedule(name, work, options) {
      open('schedule')
      return jobs.add(name, null, work, options)
    },
    cron(cron, name, work, options) {
      open('cron')
      jobs.add(
        name,
        { cron, ...(options?.timeZone === undefined ? {} : { timeZone: options.timeZone }) },
        work,
        options,
      )
    },
    after(_delayMs, work) {
      open('after')
      delayed.push(work)
    },
    jobs: jobs.states,
    onConfigChange(listener) {
      open('onConfigChange')
      configListener = listener
    },
    updateConfig: (change) => world.updateSettings(change),
    defer: (release) => own('a release of its own', release),
  } satisfies PluginContext<Settings, Record<string, unknown>>)

  async function close(): Promise<void> {
    end.abort(new PlayheadError('PLH_ABORTED', 'the test host ends the plugin'))
    await releases.disposeAsync()
  }

  try {
    await world.database.migrate(plugin.migrations ?? [])
    await withLimit('setup()', SETUP_LIMIT_MS, 'PLH_PLUGIN_SETUP_TIMEOUT', () => plugin.setup?.(ctx))
    const app = await withLimit('routes()', SETUP_LIMIT_MS, 'PLH_PLUGIN_SETUP_TIMEOUT', () =>
      createApp({ plugin, ctx, manifest: isDeclared ? manifest : null, onUnexpected: world.onFailure }),
    )
    own('routes', () => app.close())
    const missing = (manifest.provides ?? []).filter((token) => !capabilities.has(token))
    if (missing.length > 0) {
      throw new PlayheadError(
        'PLH_CAPABILITY_MISSING',
        `plugin.json declares ${missing.join(', ')} under "provides", but setup() did not provide it.`,
      )
    }
    await withLimit('selfCheck()', CHECK_LIMIT_MS, 'PLH_PLUGIN_SELF_CHECK', () => plugin.selfCheck?.(ctx))
    isSealed = true
    return {
      plugin,
      ctx,
      app,
      jobs,
      taps,
      capabilities,
      get configListener() {
        return configListener
      },
      async runDelayed() {
        for (const work of delayed.splice(0)) await work(end.signal)
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function withLimit<Result>(
  what: string,
  limitMs: number,
  code: 'PLH_PLUGIN_SETUP_TIMEOUT' | 'PLH_PLUGIN_SELF_CHECK',
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new PlayheadError(code, `${what} did not end within ${limitMs / 1_000} s.`)),
    limitMs,
  )
  try {
    return await Promise.race([work(), promise])
  } finally {
    clearTimeout(timer)
  }
}

function assetPath(directory: string | null, relative: string): string {
  if (directory === null) {
    throw new PlayheadError(
      'PLH_NOT_FOUND',
      "The test host does not know the plugin's folder. Give it the path of plugin.json as `manifest`.",
    )
  }
  const path = resolve(directory, relative)
  if (path.startsWith(directory + sep)) return path
  throw new PlayheadError('PLH_FORBIDDEN', `"${relative}" lies outside the plugin's folder.`)
}

/** Values of the settings that a host would take out of everything that is shown. */
function secretsIn(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value === 'string') return value.length >= 6 && isSecretPath(path) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, below]) => secretsIn(below, [...path, name]))
}
