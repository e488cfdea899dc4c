// The runner of the tests: nothing is left out, and nothing that fails is reported as passed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { groupsOf, shardOf, shuffle } from '../run/groups.ts'
import { listTests } from '../run/list.ts'
import { readResults } from '../run/results.ts'

const ROOT = join(import.meta.dirname, '../..')

t.test('each test file is in one group, and in one shard', async (t) => {
  const files = await listTests(ROOT)
  const groups = groupsOf(files)
  const paths = files.map(({ path }) => path)
  t.ok(paths.length > 600)
  t.same(groups.flatMap(({ files }) => files).sort(), paths)
  const shards = Array.from({ length: 8 }, (_, index) => shardOf(groups, `${index + 1}/8`))
  t.same(shards.flatMap((shard) => shard.flatMap(({ files }) => files)).sort(), paths)
  for (const bad of ['0/8', '9/8', '8', 'a/b']) t.throws(() => shardOf(groups, bad), /expected a part such as 2\/8/)
  const shuffled = shuffle(groups, 7)
  t.same(shuffled.flatMap(({ files }) => files).sort(), paths)
  t.same(shuffle(groups, 7), shuffled)
  t.not(shuffle(groups, 8)[0]?.name, shuffled[0]?.name)
})

t.test('files with a mark have a process of their own, and a mark is no sentence elsewhere in the file', async (t) => {
  const root = t.testdir({
    test: {
      'a.test.ts': '// slow: a browser\n// What a page shows.\n',
      'b.test.ts': '// alone: it ends the process\n',
      'c.test.ts': `const line = '// slow: no'\n`,
      'd.test.ts': '',
      'plugins-outside': { foreign: { 'e.test.ts': '' } },
    },
    plugins: {
      directory: { shelf: { 'index.test.ts': '', 'conformance.test.ts': '// slow: every check of the kit\n' } },
      providers: { own: { 'f.test.ts': '' } },
    },
  })
  const files = await listTests(root)
  t.match(files, [
    { path: 'plugins/directory/shelf/conformance.test.ts', slow: 'every check of the kit' },
    { path: 'plugins/directory/shelf/index.test.ts', slow: undefined },
    { path: 'test/a.test.ts', slow: 'a browser', alone: undefined },
    { path: 'test/b.test.ts', slow: undefined, alone: 'it ends the process' },
    { path: 'test/c.test.ts', slow: undefined },
    { path: 'test/d.test.ts' },
  ])
  t.equal(files.length, 6)
  t.same(
    groupsOf(files)
      .map(({ files }) => files)
      .sort(),
    [
      ['plugins/directory/shelf/conformance.test.ts'],
      ['plugins/directory/shelf/index.test.ts'],
      ['test/a.test.ts'],
      ['test/b.test.ts'],
      ['test/c.test.ts', 'test/d.test.ts'],
    ],
  )
  await t.rejects(listTests(root, ['test/z.test.ts']), /No test file is named test\/z.test.ts/)
})

/** The report of a group of these files. */
async function run(t: Test, sources: Readonly<Record<string, string>>) {
  const folder = t.testdir(sources)
  const child = spawn(process.execPath, [join(ROOT, 'test/run/group.ts')], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      TAP: '1',
      PLAYHEAD_TEST_FILES: Object.keys(sources)
        .map((name) => join(folder, name))
        .join(' '),
    },
  })
  const ended = once(child, 'exit')
  const results = await readResults(child.stdout)
  const [code] = await ended
  return { ...results, code: code as number }
}

const PASSES = `import t from 'tap'\nt.test('is well', async (t) => { t.pass('one'); t.pass('two') })\n`

t.test('what fails in one file is reported with its name, and the files after it run', async (t) => {
  const { code, failures, files, assertions } = await run(t, {
    'broken.ts': `import t from 'tap'\nt.test('outer', (t) => t.test('inner', async (t) => t.equal(1, 2, 'one is two')))\n`,
    'throws.ts': `import t from 'tap'\nt.test('throws', async () => { throw new Error('a reason') })\n`,
    'missing.ts': `import './not-there.ts'\n`,
    'leaks.ts': `import t from 'tap'\nt.test('sets', async (t) => { process.env.LEFT_OVER = '1'; t.pass() })\n`,
    'rejects.ts': `import t from 'tap'\nt.test('forgets', async (t) => { t.pass(); Promise.reject(new Error('not awaited')); await new Promise((r) => setTimeout(r, 20)) })\nt.test('forgets a text', async () => { Promise.reject('only a text'); await new Promise((r) => setTimeout(r, 20)) })\n`,
    'throws-later.ts': `import t from 'tap'\nt.test('outer', (t) => t.test('waits', async () => { setTimeout(() => { throw new Error('in a timer') }); await new Promise(() => {}) }))\n`,
    'well.ts': PASSES,
  })
  t.not(code, 0)
  t.match(
    failures.find((text) => text.includes('one is two')),
    /broken\.ts > outer > inner > one is two/,
  )
  t.match(
    failures.find((text) => text.includes('a reason')),
    /throws\.ts > throws/,
  )
  t.match(
    failures.find((text) => text.includes('cannot be loaded')),
    /missing\.ts.*not-there/s,
  )
  t.match(
    failures.find((text) => text.includes('leaves the environment')),
    /leaks\.ts/,
  )
  t.match(
    failures.find((text) => text.includes('not awaited')),
    /rejects\.ts > forgets/,
  )
  t.match(
    failures.find((text) => text.includes('> unhandledRejection: only a text')),
    /rejects\.ts > forgets a text/,
  )
  t.match(
    failures.find((text) => text.includes('in a timer')),
    /throws-later\.ts > outer > waits/,
  )
  t.equal(files.length, 7)
  t.ok(assertions > 6)
  t.notOk(failures.some((text) => text.includes('well.ts')))
})

t.test('a process that ends too early has not passed', async (t) => {
  const ended = await run(t, { 'exits.ts': `import t from 'tap'\nt.pass()\nprocess.exit(0)\n`, 'well.ts': PASSES })
  t.equal(ended.files.length, 0, 'a file that was begun is not among those that ended')
})

t.test('promises are not followed', async (t) => {
  const source = `import { executionAsyncId } from 'node:async_hooks'\nimport t from 'tap'
t.test('is followed by none', async (t) => { const before = executionAsyncId(); await null; await null; t.ok([0, before].includes(executionAsyncId())) })\n`
  t.match(await run(t, { 'follows.ts': source }), { failures: [], code: 0 })
})

t.test('what writes to the folder of a test is stopped before the folder is removed', async (t) => {
  const { failures, assertions } = await run(t, {
    'writes.ts': `import t from 'tap'
import { existsSync } from 'node:fs'
let wasThere, folder
t.test('outer', (t) => t.test('inner', async (t) => {
  folder = t.testdir({ file: '' })
  t.teardown(() => { wasThere = existsSync(folder) })
  t.pass()
}))
t.test('after it', async (t) => { t.equal(wasThere, true); t.equal(existsSync(folder), false) })
`,
  })
  t.same(failures, [])
  t.ok(assertions >= 5)
})

t.test('what a file started ends with it', async (t) => {
  const { code, failures } = await run(t, {
    'starts.ts': `import t from 'tap'\nimport { atEndOfFile } from '${join(ROOT, 'test/at-end-of-file.ts')}'
globalThis.running = true\natEndOfFile(() => { globalThis.running = false })\nt.test('runs', async (t) => t.equal(globalThis.running, true))\n`,
    'after.ts': `import t from 'tap'\nt.test('has ended', async (t) => t.equal(globalThis.running, false))\n`,
  })
  t.same(failures, [])
  t.equal(code, 0)
})

t.test('tests that a file runs side by side end before the next file begins, whose own run in sequence', async (t) => {
  const wait = `await new Promise((resolve) => setTimeout(resolve, 100))`
  const { code, failures } = await run(t, {
    'beside.ts': `import t from 'tap'\nt.jobs = 2\nglobalThis.open = globalThis.most = 0
for (const name of ['one', 'two', 'three']) t.test(name, async (t) => { globalThis.most = Math.max(globalThis.most, ++globalThis.open); ${wait}; globalThis.open -= 1; t.pass() })\n`,
    'after.ts': `import t from 'tap'\nt.same([globalThis.open, globalThis.most], [0, 2])
for (const name of ['one', 'two']) t.test(name, async (t) => { t.equal(++globalThis.open, 1); ${wait}; globalThis.open -= 1 })\n`,
  })
  t.same(failures, [])
  t.equal(code, 0)
})
