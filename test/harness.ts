// Starts the real service in a temporary directory, with plugins written for the test.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPlayhead, type PlayheadOptions } from '../core/main.ts'
import { readEnvironment } from '../core/environment.ts'
import { defined } from '@playhead/sdk'
import { checkAnswer, failForWrongAnswers } from '../core/testing/answers.ts'
import { lendSnapshots, shareCaches } from './shared-caches.ts'

export interface FixturePlugin {
  readonly manifest?: Readonly<Record<string, unknown>>
  /** File name to content; `index.ts` is the entry. */
  readonly files: Readonly<Record<string, string>>
  readonly registry?: Readonly<Record<string, unknown>>
}

export interface ServiceOptions {
  readonly plugins?: Readonly<Record<string, FixturePlugin>>
  readonly environment?: Readonly<Record<string, string>>
  readonly host?: PlayheadOptions['host']
  /** Create no account, to test the setup. */
  readonly withoutAccount?: boolean
  readonly directory?: string
  /** Also load the shipped plugins. Most stay dormant until they are used, and their schemas are compiled at first use. */
  readonly shipped?: boolean
  /** With `shipped`: run all plugins and compile all schemas at the start. */
  readonly eager?: boolean
  /** Default: all sources; those of added plugins if what ships is loaded, too. */
  readonly watch?: NonNullable<PlayheadOptions['host']>['watch']
  readonly webLimits?: PlayheadOptions['webLimits']
  readonly pluginDirectory?: PlayheadOptions['pluginDirectory']
}

export const USERNAME = 'ada'
export const PASSWORD = 'correct horse battery'

export type Service = Awaited<ReturnType<typeof startService>>

/** Starts the service on a free port of this machine, signs in, and stops it with `await using`. */
export async function startService(options: ServiceOptions = {}) {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'playhead-test-')))
  const ids = Object.keys(options.plugins ?? {})
  for (const id of ids) await writePlugin(directory, id, options.plugins?.[id] as FixturePlugin)
  const registry = join(directory, 'plugin-registry.json')
  await writeRegistry(
    registry,
    ids.map((id) => ({ id, source: `./plugins/${id}`, ...options.plugins?.[id]?.registry })),
  )

  if (options.shipped === true) {
    await shareCaches(join(directory, 'data'))
    if (options.eager !== true) await lendSnapshots(join(directory, 'data'))
  }
  const log: string[] = []
  const playhead = await startPlayhead({
    environment: readEnvironment({
      PLAYHEAD_DATA_DIR: join(directory, 'data'),
      PLAYHEAD_PORT: '0',
      PLAYHEAD_LOG_LEVEL: 'debug',
      // Tests make no requests to other machines.
      PLAYHEAD_NPM_REGISTRY: 'http://127.0.0.1:9',
      ...options.environment,
    }),
    ...(options.shipped === true ? { lazySchemas: options.eager !== true } : { bundledRegistry: registry }),
    logTo: (line) => void log.push(line),
    processGuards: true,
    onAnswer: checkAnswer,
    ...defined({ webLimits: options.webLimits, pluginDirectory: options.pluginDirectory }),
    host: { watch: options.watch ?? (options.shipped === true ? 'added' : true), watchdog: false, ...options.host },
  })
  // A start listens before the slowest plugins are loaded.
  if (options.shipped === true) await playhead.host.settled()
  let cookie = ''

  async function call(path: string, init: RequestInit & { json?: unknown } = {}): Promise<Response> {
    const { json, ...rest } = init
    const answer = await fetch(playhead.url + path, {
      redirect: 'manual',
      ...rest,
      headers: {
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(cookie === '' ? {} : { cookie }),
        ...(rest.headers as Record<string, string> | undefined),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json), method: rest.method ?? 'POST' }),
    })
    failForWrongAnswers()
    return answer
  }

  if (options.withoutAccount !== true) {
    const answer = await call('/api/app-auth/credentials', {
      json: { enabled: true, username: USERNAME, password: PASSWORD },
    })
    if (answer.status !== 200)
      throw new Error(`the first account could not be made: ${answer.status} ${await answer.text()}`)
    cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] as string
    await answer.arrayBuffer()
  }

  return {
    ...playhead,
    directory,
    log,
    cookie: () => cookie,
    setCookie: (value: string) => {
      cookie = value
    },
    call,
    /** Status and JSON body of a call. */
    async json(
      path: string,
      init: RequestInit & { json?: unknown } = {},
    ): Promise<{ status: number; body: any; headers: Headers }> {
      const answer = await call(path, init)
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, body: text === '' ? null : parse(text) }
    },
    plugin: async (id: string) => ((await (await call(`/api/plugins/${id}`)).json()) as { plugin: any }).plugin,
    /** Writes a source file of a fixture plugin; the watcher detects it. */
    write: (id: string, file: string, content: string) => writeFile(join(directory, 'plugins', id, file), content),
    writePlugin: (id: string, plugin: FixturePlugin) => writePlugin(directory, id, plugin),
    writeRegistry: (entries: readonly object[]) => writeRegistry(registry, entries),
    async [Symbol.asyncDispose]() {
      await playhead.stop()
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

async function writePlugin(directory: string, id: string, { manifest, files }: FixturePlugin): Promise<void> {
  const folder = join(directory, 'plugins', id)
  await mkdir(folder, { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  await writeFile(
    join(folder, 'plugin.json'),
    JSON.stringify({ id, name: id, version: '1.0.0', api: '^1.0.0', kind: 'service', ...manifest }),
  )
}

async function writeRegistry(file: string, plugins: readonly object[]): Promise<void> {
  await writeFile(file, JSON.stringify({ version: 1, plugins }))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Waits until the check returns a value other than undefined or false; fails with the last value. */
export async function until<Value>(
  what: string,
  check: () => Value | Promise<Value>,
  limitMs = 60_000,
): Promise<NonNullable<Value>> {
  const endsAt = Date.now() + limitMs
  for (;;) {
    const value = await check()
    if (value !== undefined && value !== null && value !== false) return value as NonNullable<Value>
    if (Date.now() > endsAt) throw new Error(`did not happen within ${limitMs} ms: ${what}`)
    await sleep(20)
  }
}
