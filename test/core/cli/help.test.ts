import t from 'tap'
import { nearest } from '../../../core/cli/nearest.ts'
import { openSandbox } from './support.ts'

t.test('without a command all commands are listed', async (t) => {
  await using sandbox = await openSandbox()
  for (const ask of [sandbox.program(), sandbox.cli(), sandbox.cli('help'), sandbox.cli('--help')]) {
    const { code, output, errors } = await ask
    t.match([code, errors], [0, ''])
    for (const name of [
      'start',
      'plugin new',
      'plugin add',
      'plugin link',
      'plugin remove',
      'plugin list',
      'plugin check',
      'plugin dev',
      'plugin test',
      'auth reset',
    ])
      t.match(output, `  ${name} `)
  }
})

t.test('options are accepted in any position', async (t) => {
  await using sandbox = await openSandbox()
  for (const args of [
    ['--data', 'd', 'plugin', 'list'],
    ['plugin', '--data', 'd', 'list'],
    ['plugin', 'list', '--data=d'],
  ]) {
    t.match(await sandbox.cli(...args), { code: 0, errors: '' }, args.join(' '))
  }
})

t.test('help explains a command, in every form of the request', async (t) => {
  await using sandbox = await openSandbox()
  const asked = await sandbox.cli('help', 'plugin', 'new')
  const flagged = await sandbox.cli('plugin', 'new', '--help')
  t.match(asked.output, /Usage: npm run playhead -- plugin new <kind> <id>[\s\S]*Examples:[\s\S]*provider my-server/)
  t.same(flagged, asked)
  t.match((await sandbox.cli('help', 'plugin')).output, /plugin enable/)
})

for (const [args, message] of [
  [['plgin', 'list'], 'there is no command "plgin". Did you mean "plugin"?'],
  [['plugin', 'lsit'], 'there is no command "plugin lsit". Did you mean "plugin list"?'],
  [['strat'], 'there is no command "strat". Did you mean "start"?'],
  [['entirely', 'different'], 'there is no command "entirely". See:'],
  [['help', 'plugin', 'chekc'], 'Did you mean "plugin check"?'],
  [
    ['plugin'],
    '"plugin" needs one of: new, add, link, accept, discard, update, rollback, remove, enable, disable, list, check, dev, test, pack, submit.',
  ],
  [
    ['plugin', 'new', 'service'],
    '"plugin new" needs <id>. Usage: npm run playhead -- plugin new <kind> <id> [--dir <folder>]',
  ],
  [['plugin', 'list', 'more'], '"plugin list" does not know what to do with "more".'],
  [['plugin', 'list', '--jsn'], "Unknown option '--jsn'"],
  [['plugin', 'new', 'servic', 'hello'], '"servic" is no kind of plugin. Did you mean "service"?'],
  [['plugin', 'new', 'service', 'Hello World'], '"Hello World" cannot be an id.'],
] as const) {
  t.test(`"${args.join(' ')}" fails with one line that says what to do`, async (t) => {
    await using sandbox = await openSandbox()
    const { code, output, errors } = await sandbox.cli(...args)
    t.equal(code, 1)
    t.equal(output, '')
    t.match(errors, /^playhead: [^\n]+\n$/)
    t.ok(errors.includes(message), errors)
  })
}

t.test("the program exits with the command's exit code", async (t) => {
  await using sandbox = await openSandbox()
  t.strictSame(await sandbox.program('strat'), await sandbox.cli('strat'))
  t.equal((await sandbox.program('strat')).code, 1)
})

t.test('an invalid environment variable prints one line, too', async (t) => {
  await using sandbox = await openSandbox({ PLAYHEAD_PORT: 'eighty' })
  t.match(await sandbox.cli('plugin', 'list'), { code: 1, errors: /^playhead: PLAYHEAD_PORT must be [^\n]+\n$/ })
})

t.test('a typo suggests the intended name, anything else suggests nothing', async (t) => {
  const names = ['plugin', 'start', 'auth', 'help']
  for (const [text, meant] of [
    ['plugni', 'plugin'],
    ['PLUGIN', 'plugin'],
    ['sart', 'start'],
    ['auht', 'auth'],
    ['hlep', 'help'],
    ['backup', null],
    ['', null],
  ] as const) {
    t.equal(nearest(text, names), meant, text)
  }
})
