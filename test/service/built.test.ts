// The built core: used as long as it belongs to the sources, and otherwise the sources, with a line in the log.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFile,
  cp,
  glob,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { findBuilt } from '../../core/built.js'
import { spawnService } from './process.ts'

const ROOT = join(import.meta.dirname, '../..')
const NOT_BUILT = 'The core runs from its sources'

/**
 * A copy of this installation with three plugins: a route that throws, a job at a time of the clock on the wall, and
 * code on threads.
 */
async function copyInstallation(root: string): Promise<void> {
  for (const folder of ['core', 'sdk'])
    await cp(join(ROOT, folder), join(root, folder), {
      recursive: true,
      filter: (source) => !/[/\\](?:node_modules|dist)$/.test(source),
    })
  for (const file of ['package.json', 'package-lock.json']) await cp(join(ROOT, file), join(root, file))
  await mkdir(join(root, 'node_modules', '@playhead'), { recursive: true })
  for (const name of await readdir(join(ROOT, 'node_modules')))
    if (name !== '@playhead' && !name.startsWith('.'))
      await symlink(join(ROOT, 'node_modules', name), join(root, 'node_modules', name))
  await symlink('../../sdk', join(root, 'node_modules', '@playhead', 'sdk'))
  await mkdir(join(root, 'ui', 'static'), { recursive: true })
  await cp(join(ROOT, 'ui/static/icon.svg'), join(root, 'ui/static/icon.svg'))
  await writeFile(
    join(root, 'plugin-registry.json'),
    JSON.stringify({
      version: 1,
      plugins: ['thrower', 'timed', 'worker'].map((id) => ({ id, source: `./plugins/services/${id}` })),
    }),
  )
  await writePlugin(
    root,
    { id: 'thrower', routes: [{ method: 'GET', path: '/api/throw', auth: 'P', duringSetup: true }] },
    `import { definePlugin } from '@playhead/sdk'

export default definePlugin({
  routes(app) {
    app.get('/api/throw', () => {
      throw new TypeError('thrown on purpose')
    })
  },
})
`,
  )
  await writePlugin(
    root,
    { id: 'timed' },
    `import { definePlugin } from '@playhead/sdk'

export default definePlugin({
  setup(ctx) {
    const tomorrow = Temporal.Now.zonedDateTimeISO().add({ days: 1 }).startOfDay()
    ctx.schedule('wake', () => {}).set({ at: tomorrow.epochMilliseconds })
  },
})
`,
  )
  await writeWorker(root)
}

async function writeWorker(root: string): Promise<void> {
  const route = { method: 'GET', path: '/api/worker', auth: 'P', duringSetup: true }
  await writePlugin(
    root,
    { id: 'worker', routes: [route], provides: ['lender:worker'] },
    `import { capability, definePlugin } from '@playhead/sdk'

let work, lender
export default definePlugin({
  setup(ctx) {
    work = ctx.startThread('thread.ts').work
    lender = () => ctx.use(capability('lender:worker'))
    ctx.provide(capability('lender:worker'), { module: () => ctx.lendModule('lent.ts') })
  },
  routes(app) {
    app.get('/api/worker', async () => {
      const { file } = await lender().module()
      return { sum: await work.sum(1, 2), file }
    })
  },
})
`,
  )
  const folder = join(root, 'plugins/services/worker')
  await writeFile(join(folder, 'thread.ts'), 'export default () => ({ sum: (a: number, b: number) => a + b })\n')
  await writeFile(join(folder, 'lent.ts'), 'export default { lent: true }\n')
}

async function writePlugin(
  root: string,
  manifest: { readonly id: string; readonly [field: string]: unknown },
  code: string,
) {
  const { id } = manifest
  const folder = join(root, 'plugins', 'services', id)
  await mkdir(folder, { recursive: true })
  const whole = { name: id, version: '1.0.0', description: 'For a test.', api: '^1.0.0', kind: 'service', ...manifest }
  await writeFile(join(folder, 'plugin.json'), JSON.stringify(whole))
  await writeFile(join(folder, 'index.ts'), code)
}

function build(root: string) {
  return spawn(process.execPath, ['core/build.ts'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}

async function start(
  root: string,
  {
    flags = [],
    data = 'data',
    environment = {},
  }: { flags?: readonly string[]; data?: string; environment?: object } = {},
) {
  const all = { PLAYHEAD_LOG_LEVEL: 'debug', ...environment }
  const service = await spawnService(join(root, data), all, flags, root)
  const started = service.lines.find((line) => line.includes('what was started')) ?? ''
  return {
    ...service,
    isBuilt: (JSON.parse(started || '{}') as { readonly built?: boolean }).built,
    note: service.lines.find((line) => line.includes(NOT_BUILT)),
    /** Plugins that were loaded until now. */
    live: () =>
      service.lines
        .filter((line) => line.includes('plugin is live'))
        .map((line) => (JSON.parse(line) as { readonly plugin: string }).plugin)
        .sort(),
  }
}

t.test('the built core is used only with the sources and files that it was made of', async (t) => {
  const root = t.testdir()
  await copyInstallation(root)
  const dist = join(root, 'dist')

  await t.test('without a build the sources run, and the log says so', async (t) => {
    const service = await start(root)
    t.equal(service.isBuilt, false)
    t.match(service.note, /it was not made/)
    await service.kill('SIGTERM')
  })

  await t.test('a build that is killed leaves none, and the next one removes what it left', async (t) => {
    for (const ms of [150, 500, 900]) {
      const child = build(root)
      await sleep(ms)
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    const left = await readdir(root)
    if (left.includes('dist')) t.match(await readFile(join(dist, 'built.json'), 'utf8'), '"filesHash"')
    t.equal((await once(build(root), 'exit'))[0], 0)
    t.same(
      (await readdir(root)).filter((name) => name.startsWith('dist')),
      ['dist'],
    )
    const compiled = await Array.fromAsync(glob('cache/*/*', { cwd: dist }))
    t.ok(compiled.length > 10, 'what Node compiled is there')
    for (const file of compiled) t.equal((await stat(join(dist, file))).mode & 0o444, 0o444, 'all users can read it')
  })

  await t.test('with it the core is loaded from few files, and errors show the sources', async (t) => {
    const service = await start(root)
    t.equal(service.isBuilt, true)
    t.equal(service.note, undefined)
    t.equal((await service.get('/api/throw')).status, 500)
    const error = service.lines.find((line) => line.includes('thrown on purpose')) ?? ''
    t.match(error, /plugins\/services\/thrower\/index\.ts:6/)
    t.match(error, /core\/http\/prelude\.ts:\d+/)
    t.notMatch(error, /dist\/[\w-]+\.js/)
    t.equal((await service.get('/api/health')).status, 200)
    await service.kill('SIGTERM')
  })

  await t.test('code for threads is not compiled when it is used', async (t) => {
    const service = await start(root, { data: 'threads' })
    const answer = (await (await service.get('/api/worker')).json()) as { readonly sum: number; readonly file: string }
    t.match(answer, { sum: 3, file: join(dist, 'plugins/threads/worker-') })
    // Tests share a folder of compiled code.
    const compiled = await readdir(join(root, 'threads/cache/plugins/threads')).catch(() => [])
    t.same(
      compiled.filter((name) => name.includes('worker')),
      [],
    )
    await service.kill('SIGTERM')
  })

  await t.test('with --dev the sources run', async (t) => {
    const service = await start(root, { flags: ['--dev'] })
    t.equal(service.isBuilt, false)
    t.equal(service.note, undefined)
    await service.kill('SIGTERM')
  })

  await t.test('the first start loads only what has a time to compute', async (t) => {
    const first = await start(root, { data: 'empty', environment: { TZ: 'Europe/Berlin' } })
    t.same(first.live(), ['timed'])
    t.equal((await first.get('/api/throw')).status, 500)
    t.same(first.live(), ['thrower', 'timed'])
    await first.kill('SIGTERM')
    const later = await start(root, { data: 'empty', environment: { TZ: 'Europe/Berlin' } })
    t.same(later.live(), [])
    await later.kill('SIGTERM')
    const elsewhere = await start(root, { data: 'empty', environment: { TZ: 'Asia/Tokyo' } })
    t.same(elsewhere.live(), ['timed'], 'its times are those of another zone')
    await elsewhere.kill('SIGTERM')
  })

  await t.test('commands for authors run beside it with the SDK of the sources', async (t) => {
    const args = [
      'core/cli/playhead.js',
      'plugin',
      'check',
      'plugins/services/thrower',
      '--data',
      join(root, 'checked'),
    ]
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    t.match(output, /^ok +run /m)
    t.equal(code, 0, output)
  })

  await t.test('an edited plugin is compiled again, and the others are used as they were built', async (t) => {
    const file = join(root, 'plugins/services/thrower/index.ts')
    const code = await readFile(file, 'utf8')
    await writeFile(file, `// edited\n${code.replace('on purpose', 'after an edit')}`)
    const service = await start(root, { data: 'edited' })
    t.equal(service.isBuilt, true)
    t.equal((await service.get('/api/throw')).status, 500)
    t.match(
      service.lines.find((line) => line.includes('thrown after an edit')),
      /thrower\/index\.ts:7/,
    )
    await service.kill('SIGTERM')
    await writeFile(file, code)
  })

  await t.test('a damaged file of a plugin is made again from its sources', async (t) => {
    const file = join(dist, 'plugins/thrower.cjs')
    const code = await readFile(file)
    await truncate(file, 100)
    const service = await start(root, { data: 'damaged' })
    t.equal((await service.get('/api/throw')).status, 500)
    t.match(
      service.lines.find((line) => line.includes('thrown on purpose')),
      /thrower\/index\.ts:6/,
    )
    await service.kill('SIGTERM')
    await writeFile(file, code)
  })

  await t.test('data of another core are run by all plugins once, so that their tables are changed', async (t) => {
    await writeFile(
      join(root, 'empty/run/last-run.json'),
      JSON.stringify({ core: 'another', timeZone: 'UTC', failed: [] }),
    )
    const first = await start(root, { data: 'empty', environment: { TZ: 'UTC' } })
    t.same(first.live(), ['thrower', 'timed', 'worker'])
    await first.kill('SIGTERM')
    const later = await start(root, { data: 'empty', environment: { TZ: 'UTC' } })
    t.same(later.live(), [])
    await later.kill('SIGTERM')

    // A backup may be of an older version. While its former files can return, all plugins change their tables.
    const pending = join(root, 'empty/restore/pending')
    await mkdir(join(pending, 'files'), { recursive: true })
    const plan = { label: 'backup.zip', stagedAtMs: 1, groups: [], files: [], owners: {} }
    await writeFile(join(pending, 'plan.json'), JSON.stringify(plan))
    const restored = await start(root, { data: 'empty', environment: { TZ: 'UTC' } })
    t.same(restored.live(), ['thrower', 'timed', 'worker'])
    await restored.kill('SIGTERM')
  })

  await t.test('an installation that was moved needs no other build', async (t) => {
    const moved = `${root}-moved`
    await rename(root, moved)
    const service = await start(moved, { data: 'moved' })
    t.equal(service.isBuilt, true)
    t.same(service.live(), ['timed'])
    t.equal((await service.get('/api/throw')).status, 500)
    t.match(
      service.lines.find((line) => line.includes('thrown on purpose')),
      `${moved}/plugins/services/thrower/index.ts:6`,
    )
    await service.kill('SIGTERM')
    await rename(moved, root)
  })

  const [chunk] = (await readdir(dist)).filter((name) => name.startsWith('main-') && name.endsWith('.js')) as [string]
  const damages: readonly (readonly [string, RegExp, () => Promise<unknown>])[] = [
    ['a changed source', /its sources have changed/, () => appendFile(join(root, 'core/version.ts'), '// edited\n')],
    [
      'another version of a package',
      /its sources have changed/,
      () => appendFile(join(root, 'package-lock.json'), '\n'),
    ],
    ['a file that was cut', /its files have changed/, () => truncate(join(dist, chunk), 1_000)],
    ['a file that is gone', /it cannot be read/, () => rm(join(dist, chunk))],
    ['a list that was cut', /it cannot be read/, () => truncate(join(dist, 'built.json'), 1_000)],
  ]
  for (const [what, why, damage] of damages)
    await t.test(`with ${what} the sources run, and the log says so`, async (t) => {
      const kept = join(root, 'kept')
      const parts = ['dist', 'core/version.ts', 'package-lock.json']
      for (const part of parts) await cp(join(root, part), join(kept, part), { recursive: true })
      await damage()
      const found = findBuilt(root)
      t.match('unusable' in found ? found.unusable : 'usable', why)
      // Each start from the sources takes seconds.
      if (what === 'a file that was cut') {
        const service = await start(root)
        t.equal(service.isBuilt, false)
        t.match(service.note, why)
        t.equal((await service.get('/api/health')).status, 200)
        await service.kill('SIGTERM')
      }
      for (const part of parts) await cp(join(kept, part), join(root, part), { recursive: true, force: true })
    })
})
