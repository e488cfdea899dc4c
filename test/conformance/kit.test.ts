// The kit's own report, and the command that prints it.
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import {
  badgeOf,
  CHECKS,
  GROUPS,
  openSubject,
  type Report,
  runConformance,
  tableOf,
} from '@playhead/sdk/testing/conformance'
import { runCli } from '../../core/cli/run.ts'
import { REMEDIES } from '../../sdk/testing/conformance/remedies.ts'
import { badDroppers } from './bad/dropped.ts'
import { badListKeepers } from './bad/lists.ts'
import { badManners, badNeighbours } from './bad/manners.ts'
import { badPlayers } from './bad/playing.ts'
import { badRecorders } from './bad/scrobble.ts'
import { badReaders } from './bad/reads.ts'
import { badSignIns } from './bad/sign-in.ts'
import { badWriters } from './bad/writes.ts'
import { MUTANTS } from './mutants/mutants.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const EXAMPLE = join(ROOT, 'sdk', 'templates', 'provider')

const report: Report = {
  plugin: 'shelf',
  version: '1.0.0',
  label: 'Shelf',
  points: 2,
  possible: 5,
  passed: false,
  results: [
    {
      id: 'reads.complete',
      group: 'reads',
      title: 'all rows come',
      points: 3,
      outcome: 'failed',
      reason: 'ratings: 12 of 13 rows came',
      tookMs: 4,
    },
    { id: 'writes.add', group: 'writes', title: 'it is there', points: 2, outcome: 'passed', tookMs: 3 },
    {
      id: 'refresh.once',
      group: 'refresh',
      title: 'once',
      points: 3,
      outcome: 'left_out',
      reason: 'its credentials do not expire',
      tookMs: 0,
    },
  ],
}

async function cli(...args: readonly string[]) {
  const [lines, errors]: [string[], string[]] = [[], []]
  const code = await runCli(args, {
    variables: {},
    print: (line) => void lines.push(line),
    printError: (line) => void errors.push(line),
  })
  return { code, output: lines.join('\n'), errors: errors.join('\n') }
}

t.test('every check has its own name in a group, and is in the reference', async (t) => {
  const reference = await readFile(join(ROOT, 'docs', 'reference', 'conformance.md'), 'utf8')
  t.equal(new Set(CHECKS.map(({ id }) => id)).size, CHECKS.length)
  for (const { id, group, title, points = 1 } of CHECKS) {
    t.ok(GROUPS.includes(group) && id.startsWith(`${group}.`), id)
    t.ok(
      reference.includes(`| \`${id}\` | ${title} | ${points} |`),
      `${id} stands in docs/reference/conformance.md as it is`,
    )
  }
})

t.test('for every check there is what to change when it fails', async (t) => {
  t.same(Object.keys(REMEDIES).toSorted(), CHECKS.map(({ id }) => id).toSorted())
  const [check] = CHECKS
  const failing = { ...check!, applies: (): true => true, run: async () => 'it is wrong' }
  const failed = await runConformance(await openSubject({ folder: EXAMPLE }), { checks: [failing] })
  t.match(tableOf(failed).join('\n'), `it is wrong\n`)
  t.match(tableOf(failed).join('\n'), `What to change: ${REMEDIES[check!.id]}`)
})

t.test('for every check there is a provider that fails it', (t) => {
  const failed = new Set(
    [
      ...badReaders,
      ...badWriters,
      ...badManners,
      ...badNeighbours,
      ...badSignIns,
      ...badPlayers,
      ...badRecorders,
      ...badDroppers,
      ...badListKeepers,
    ]
      .flatMap(({ fails }) => fails)
      .concat(MUTANTS.flatMap(({ caught }) => caught)),
  )
  t.same(
    CHECKS.map(({ id }) => id).filter((id) => !failed.has(id)),
    [],
  )
  t.end()
})

t.test('the table gives the reason of each lost point, and of each skipped check', (t) => {
  const table = tableOf(report).join('\n')
  t.match(table, /FAIL {2}reads\.complete {2}all rows come \(3 points lost\)\n\s+ratings: 12 of 13 rows came/)
  t.match(table, /- {5}refresh\.once {4}once\n\s+its credentials do not expire/)
  t.match(table, /Shelf 1\.0\.0: 2 of 5 points, 1 check does not apply\. It does not conform\.$/)
  t.notMatch(tableOf(report, { all: false }).join('\n'), 'writes.add')
  t.end()
})

t.test('the badge shows the points', (t) => {
  t.match(badgeOf(report), /^<svg [\s\S]*>2 \/ 5<[\s\S]*<\/svg>\n$/)
  t.not(badgeOf(report).match(/fill="(#[0-9a-f]+)"\/><\/?g|fill="#444"/), null)
  t.end()
})

t.test('a check that throws or reports a problem is failed, with the reason', async (t) => {
  const subject = await openSubject({ folder: EXAMPLE })
  const check = { group: 'basics', title: 'a check', applies: (): true => true } as const
  const { results, points, possible, passed } = await runConformance(subject, {
    checks: [
      { ...check, id: 'basics.finds', run: async () => 'it is wrong' },
      { ...check, id: 'basics.throws', points: 2, run: () => Promise.reject(new Error('it broke')) },
      { ...check, id: 'basics.well', points: 3, run: async () => undefined },
      { ...check, id: 'basics.out', applies: () => 'it has none', run: async () => 'never asked' },
    ],
  })
  t.match(results, [
    { outcome: 'failed', reason: 'it is wrong' },
    { outcome: 'failed', reason: 'it broke' },
    { outcome: 'passed' },
    { outcome: 'left_out', reason: 'it has none' },
  ])
  t.match({ points, possible, passed }, { points: 3, possible: 6, passed: false })
})

t.test('the command prints the table, writes the badge, and its exit code gives the result', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'playhead-kit-'))
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  const badge = join(folder, 'badge.svg')
  const { code, output, errors } = await cli('plugin', 'test', EXAMPLE, '--only', 'basics', '--badge', badge)
  t.match([code, errors], [0, ''])
  t.match(output, /ok {4}basics\.describes[\s\S]*Acme 0\.1\.0: 9 of 9 points, 1 check does not apply\. It conforms\./)
  t.match(await readFile(badge, 'utf8'), '>9 / 9<')
  const told = JSON.parse(
    (await cli('plugin', 'test', EXAMPLE, '--only', 'basics.describes', '--json')).output,
  ) as Report
  t.match(told, {
    plugin: 'acme',
    points: 1,
    possible: 1,
    passed: true,
    results: [{ id: 'basics.describes', outcome: 'passed' }],
  })
})

t.test('the command lists its requirements', async (t) => {
  t.match(await cli('plugin', 'test', EXAMPLE, '--only', 'raeds'), {
    code: 1,
    errors: /no group or check "raeds"\. Did you mean "reads"\?/,
  })
  t.match(await cli('plugin', 'test', EXAMPLE, '--items', 'many'), { code: 1, errors: /--items is a number of rows/ })
  t.match(await cli('plugin', 'test', EXAMPLE, '--seed', 'x'), { code: 1, errors: /--seed is a whole number/ })
  t.match(await cli('plugin', 'test', EXAMPLE, '--adapter', '/nowhere/adapter.ts'), {
    code: 1,
    errors: /there is no adapter \/nowhere\/adapter\.ts/,
  })
  t.match(await cli('plugin', 'test', join(ROOT, 'plugins', 'services', 'version')), {
    code: 1,
    errors: /version is a service; only providers, exporters, importers and notifiers can be tested/,
  })
})

t.test('every shipped provider is tested without naming an adapter', async (t) => {
  const folders = await readdir(join(ROOT, 'plugins', 'providers'))
  const providers = folders.filter((name) => existsSync(join(ROOT, 'plugins', 'providers', name, 'plugin.json')))
  t.ok(providers.length >= 12)
  for (const name of providers) {
    const { code, output } = await cli('plugin', 'test', join(ROOT, 'plugins', 'providers', name), '--only', 'basics')
    t.equal(code, 0, output)
  }
})
