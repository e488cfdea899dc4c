// The running service with fake accounts: real plugins, real files, and people who change their accounts.
import { readdir } from 'node:fs/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Feature } from '@playhead/sdk'
import { writePlugins } from '../../bench/sync.ts'
import { startService } from '../../harness.ts'
import { type AccountOptions, FakeAccount, setCatalogue } from '../sync/world/account.ts'
import { numberedWork, WORKS, type Work } from '../sync/world/works.ts'

export const API = '/api/snapshots'
const ACCOUNTS = Symbol.for('playhead.test.captures')
export const ALL: readonly Work[] = [...WORKS, ...Array.from({ length: 60 }, (_, index) => numberedWork(index))]
export const FEATURES = ['watchlist', 'history', 'ratings', 'progress'] as const

/** Provides the accounts that the test put on the global object, because the service runs in the test's process. */
const source = (id: string) => `import { definePlugin, providerCapability } from '@playhead/sdk'
const account = globalThis[Symbol.for('playhead.test.captures')].get('${id}')
const names = ['describe', 'profiles', 'probe', 'read', 'write', 'libraries', 'createProfile', 'saveProfile', 'removeProfile', 'disconnect']
export default definePlugin({
  setup(ctx) {
    ctx.provide(providerCapability('${id}'), Object.fromEntries(names.map((name) => [name, (...given) => account[name](...given)])))
  },
})
`

export interface Answer {
  readonly status: number
  readonly body: any
}

export async function startCaptures(options: Readonly<Record<string, Partial<AccountOptions>>> = { ANN: {} }) {
  setCatalogue(ALL)
  const accounts = new Map(
    Object.entries(options).map(([id, own]) => [id, new FakeAccount({ ...own, id, now: () => Date.now() })]),
  )
  Reflect.set(globalThis, ACCOUNTS, accounts)
  const directory = await mkdtemp(join(tmpdir(), 'playhead-captures-'))
  await writePlugins(
    directory,
    Object.fromEntries(
      [...accounts.keys()].map((id) => [
        id.toLowerCase(),
        {
          'plugin.json': JSON.stringify({
            ...{ id: id.toLowerCase(), name: id, version: '1.0.0', api: '^1.0.0', kind: 'provider', isolation: 'none' },
            ...{ provides: [`provider:${id}`], provider: { id, token: id.toLowerCase(), label: id } },
          }),
          'index.ts': source(id),
        },
      ]),
    ),
  )
  let service = await startService({ shipped: true, watch: false, directory })
  const get = (path: string): Promise<Answer> => service.json(API + path)
  const post = (path: string, json: object): Promise<Answer> => service.json(API + path, { json })

  const world = {
    accounts,
    directory,
    folder: join(directory, 'data', 'files', 'captures'),
    account: (id = 'ANN') => accounts.get(id)!,
    get service() {
      return service
    },
    get,
    post,
    /** Throws unless the status is 200. */
    async expect(path: string, json?: object): Promise<any> {
      const { status, body } = await (json === undefined ? get(path) : post(path, json))
      if (status !== 200) throw new Error(`${path} was answered with ${status}: ${JSON.stringify(body)}`)
      return body
    },
    async create(order: object = {}): Promise<any> {
      return (await world.expect('/create', { provider: 'ANN', feature: 'watchlist', ...order })).snapshot
    },
    list: async (): Promise<any[]> => (await world.expect('/list')).snapshots,
    /** All rows, in pages. */
    async rows(path: string): Promise<any[]> {
      const rows: any[] = []
      for (let offset = 0; ; offset += 7) {
        const { snapshot } = await world.expect(`/read?path=${encodeURIComponent(path)}&offset=${offset}&limit=7`)
        rows.push(...snapshot.rows)
        if (snapshot.rows.length < 7) return rows
      }
    },
    /** Files below the captures folder, including temporary files. */
    async files(): Promise<string[]> {
      const found = await readdir(world.folder, { recursive: true, withFileTypes: true }).catch(() => [])
      return found
        .filter((entry) => !entry.isDirectory())
        .map(({ parentPath, name }) => `${parentPath.split('/').at(-1)}/${name}`)
        .sort()
    },
    /** Waits until the job has ended. */
    async ended(id: string): Promise<any> {
      const seen: number[] = []
      for (;;) {
        const { progress } = await world.expect(`/capture-progress/${id}`)
        seen.push(progress.percent)
        if (seen.some((percent, index) => percent < (seen[index - 1] ?? 0))) throw new Error(`went back: ${seen}`)
        if (progress.done) return progress
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    async restart(): Promise<void> {
      await service[Symbol.asyncDispose]()
      service = await startService({ shipped: true, watch: false, directory, withoutAccount: true })
      await signIn()
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true, maxRetries: 10 })
    },
  }
  async function signIn() {
    const answer = await service.call('/api/app-auth/login', {
      json: { username: 'ada', password: 'correct horse battery' },
    })
    service.setCookie((answer.headers.get('set-cookie') ?? '').split(';')[0]!)
    await answer.arrayBuffer()
  }
  return world
}

export type Captures = Awaited<ReturnType<typeof startCaptures>>

/** Adds a work to every feature that supports it. */
export function fill(
  account: FakeAccount,
  works: readonly Work[],
  features: readonly Feature[] = FEATURES,
  atMs = Date.UTC(2026, 4, 1),
): void {
  for (const [place, work] of works.entries()) {
    for (const feature of features) {
      if (feature === 'watchlist' && work.type === 'episode') continue
      if ((feature === 'history' || feature === 'progress') && work.type === 'show') continue
      account.put({
        work,
        feature,
        atMs: atMs + place * 86_400_000,
        ...(feature === 'ratings' ? { rating: (place % 10) + 1 } : {}),
        ...(feature === 'progress' ? { positionMs: (place + 1) * 60_000 } : {}),
      })
    }
  }
}
