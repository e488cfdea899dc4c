// kill -9 at random points of backups, restores, starts that apply a restore, and migrations.
import { randomInt } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cookieOf, spawnService } from './process.ts'

const ROOT = join(import.meta.dirname, '../..')
const ACCOUNT = { username: 'ada', password: 'correct horse battery' }
const NEEDED = new Set(['backups'])

/** Stores a word in every kind of storage, in tables with one column per migration. */
async function writeKeeper(folder: string, steps: number): Promise<void> {
  const migrations = (table: string) =>
    Array.from({ length: steps }, (_unused, index) => {
      const begin = index === 0 ? `createTable('${table}')` : `alterTable('${table}')`
      return `{ name: 'step-${index}', up: async (db) => { await db.schema.${begin}.addColumn('c${index}', 'text').execute() } }`
    }).join(', ')
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, 'plugin.json'),
    JSON.stringify({
      id: 'keeper',
      name: 'keeper',
      version: '1.0.0',
      api: '^1.0.0',
      kind: 'service',
      activation: ['start'],
      needs: { database: true, files: ['captures'] },
      routes: [
        { method: 'POST', path: '/api/keeper', auth: 'P' },
        { method: 'GET', path: '/api/keeper', auth: 'P' },
      ],
    }),
  )
  await writeFile(
    join(folder, 'index.ts'),
    `import { definePlugin } from '@playhead/sdk'
let own
export default definePlugin({
  migrations: [${migrations('keeper__word')}],
  async setup(ctx) { own = await ctx.openDatabase('own', { migrations: [${migrations('word')}] }) },
  routes(app) {
    const { db, files, store } = app.playhead
    const captures = files.shared('captures')
    app.post('/api/keeper', async ({ body: { word } }) => {
      for (const [handle, table] of [[db, 'keeper__word'], [own.db, 'word']]) {
        await handle.transaction().execute(async (t) => {
          await t.deleteFrom(table).execute()
          for (let row = 0; row < 300; row += 1) await t.insertInto(table).values({ c0: word }).execute()
        })
      }
      await files.write('word.txt', word)
      await captures.write('word.ndjson', word.repeat(1000))
      await store.set('word', word)
      return { ok: true }
    })
    app.get('/api/keeper', async () => {
      const words = new Set([await store.get('word'), String(await files.read('word.txt')), String(await captures.read('word.ndjson')).slice(0, 8)])
      const columns = []
      for (const [handle, table] of [[db, 'keeper__word'], [own.db, 'word']]) {
        const rows = await handle.selectFrom(table).selectAll().execute()
        if (rows.length !== 300) words.add('rows: ' + rows.length)
        for (const row of rows) words.add(row.c0)
        columns.push(Object.keys(rows[0] ?? {}).length)
      }
      return { words: [...words], columns }
    })
  },
})`,
  )
}

/**
 * @param folder an empty folder
 * @param fail called with a description of a problem
 */
export async function killOften(folder: string, kills: number, fail: (what: string) => void): Promise<string> {
  const data = join(folder, 'data')
  const plugin = join(folder, 'keeper')
  const { plugins } = JSON.parse(readFileSync(join(ROOT, 'plugin-registry.json'), 'utf8')) as {
    plugins: { id: string }[]
  }
  let steps = 1
  await writeKeeper(plugin, steps)
  await mkdir(data, { recursive: true })
  await writeFile(
    join(data, 'plugin-registry.json'),
    JSON.stringify({
      version: 1,
      plugins: [
        ...plugins.filter(({ id }) => !NEEDED.has(id)).map(({ id }) => ({ id, enabled: false })),
        { id: 'keeper', source: plugin },
      ],
    }),
  )
  const word = (index: number) => `word${String(index).padStart(4, '0')}`
  const archives = new Map<string, string>()
  const counted = { backup: 0, restore: 0, start: 0, upgrade: 0, restored: 0, kept: 0 }
  /** Words that the next start may contain. */
  let allowed = new Set<string>()
  let current = word(0)
  let made = 0
  let hasDied = false

  const first = await spawnService(data)
  await first.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  const firstCookie = cookieOf(await first.post('/api/app-auth/login', ACCOUNT))
  for (; made < 2; made += 1) {
    current = word(made)
    await setWord(first, firstCookie, current)
    const answer = await first.post('/api/backups/create', { scope: 'full' }, firstCookie)
    archives.set(((await answer.json()) as { backup: { path: string } }).backup.path, current)
  }
  await first.kill('SIGTERM')
  allowed.add(current)

  for (let done = 0; done < kills; ) {
    // Occasionally kills a start: while reading, applying a restore, or migrating.
    hasDied = done < kills - 1 && randomInt(allowed.size) + randomInt(3) > 0
    if (hasDied) {
      const child = await killWhileStarting(data, randomInt(20, 1_200))
      done += child
      counted.start += child
    }
    const service = await spawnService(data)
    if (service.url === null) {
      fail(`after ${done} kills it does not start: ${service.lines.join('\n')}`)
      break
    }
    const cookie = cookieOf(await service.post('/api/app-auth/login', ACCOUNT))
    current = await check(service, cookie, done)
    allowed = new Set([current])
    const known = [...archives].filter(([, of]) => of !== current)
    const action = randomInt(10)
    let asked: Promise<Response>
    if (action < 3 || known.length === 0) {
      counted.backup += 1
      asked = service.post('/api/backups/create', { scope: 'full' }, cookie)
    } else if (action < 8) {
      counted.restore += 1
      const [path, of] = known[randomInt(known.length)] as [string, string]
      allowed.add(of)
      asked = service.post('/api/backups/restore', { path }, cookie)
    } else {
      // Store a new word reliably, then start with tables of a later version.
      made += 1
      current = word(made)
      await setWord(service, cookie, current)
      allowed = new Set([current])
      const backup = await service.post('/api/backups/create', { scope: 'full' }, cookie)
      archives.set(((await backup.json()) as { backup: { path: string } }).backup.path, current)
      counted.upgrade += 1
      steps += 1
      asked = Promise.resolve(backup)
    }
    const answered = asked.then(
      async (answer) => ({ status: answer.status, body: (await answer.json().catch(() => null)) as any }),
      () => null,
    )
    await Promise.race([answered, sleep(randomInt(5, 1_500))])
    await service.kill('SIGKILL')
    done += 1
    const answer = await answered
    if (answer?.status === 200 && answer.body?.backup?.path !== undefined)
      archives.set(answer.body.backup.path, current)
    // The next start must contain the acknowledged word.
    if (answer?.status === 200 && answer.body?.result?.restart_required === true)
      allowed = new Set([archives.get(answer.body.result.path) as string])
    if (answer !== null && answer.status >= 400 && answer.body?.error !== 'aborted')
      fail(`${done}: ${answer.status} ${JSON.stringify(answer.body)}`)
    await writeKeeper(plugin, steps)
  }
  return JSON.stringify(counted)

  async function setWord(service: Awaited<ReturnType<typeof spawnService>>, cookie: string, to: string): Promise<void> {
    await arrived(() => service.post('/api/keeper', { word: to }))
    await service.post('/api/config', { mine: { word: to } }, cookie)
  }

  async function check(
    service: Awaited<ReturnType<typeof spawnService>>,
    cookie: string,
    done: number,
  ): Promise<string> {
    const state = (await (await arrived(() => service.get('/api/keeper'))).json()) as {
      words: string[]
      columns: number[]
    }
    const config = (await (await service.get('/api/config', cookie)).json()) as { mine?: { word?: string } }
    const words = new Set([...(state.words ?? [JSON.stringify(state)]), String(config.mine?.word)])
    const [only = ''] = words
    if (words.size !== 1 || !allowed.has(only))
      fail(`after ${done} kills: ${[...words].join(', ')} instead of one of ${[...allowed].join(', ')}`)
    if (state.columns?.some((number) => number !== steps))
      fail(`after ${done} kills: ${state.columns} columns, not ${steps}`)
    const isRestored = service.lines.some((line) => line.includes('a backup was restored'))
    if (only !== current && !isRestored && !hasDied) fail(`after ${done} kills: restored without a word about it`)
    counted[isRestored ? 'restored' : 'kept'] += 1
    if (existsSync(join(data, 'restore/pending')) || existsSync(join(data, 'restore/displaced')))
      fail(`after ${done} kills: ${readdirSync(join(data, 'restore')).join(', ')} is left`)
    const listed = (await (await service.get('/api/backups/list', cookie)).json()) as {
      backups: { valid: boolean; path: string }[]
    }
    for (const { valid, path } of listed.backups) if (!valid) fail(`after ${done} kills: ${path} is half a backup`)
    const names = readdirSync(join(data, 'files/backups'), { recursive: true }).map(String)
    for (const name of names) if (name.endsWith('.tmp')) fail(`after ${done} kills: ${name} is left`)
    return only
  }
}

/** On a busy machine a plugin loads more slowly than the request timeout. */
async function arrived(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const answer = await ask()
    const seconds = answer.headers.get('retry-after')
    if (answer.status !== 503 || seconds === null) return answer
    await sleep(Number(seconds) * 100)
  }
}

/** Starts a process and kills it some time after a marker, whether or not it is ready. */
export async function killWhileStarting(
  data: string,
  afterMs: number,
  isSeen: () => boolean = () => true,
): Promise<number> {
  const { spawn } = await import('node:child_process')
  const child = spawn(process.execPath, [join(ROOT, 'core/start.js')], {
    env: { PATH: process.env['PATH'], PLAYHEAD_DATA_DIR: data, PLAYHEAD_PORT: '0' },
    stdio: 'ignore',
  })
  for (let tries = 0; tries < 5_000 && !isSeen(); tries += 1) await sleep(2)
  await sleep(afterMs)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
  return 1
}
