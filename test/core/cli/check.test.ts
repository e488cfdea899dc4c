// slow: command lines that start the service
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openSandbox, ROOT } from './support.ts'

const MANIFEST = { id: 'checked', name: 'Checked', version: '1.0.0', api: '^1.0.0', kind: 'service' }
const plugin = (body: string, imports = '') =>
  [
    "import { capability, definePlugin, hook, Type } from '@playhead/sdk'",
    imports,
    'void [capability, hook, Type]',
    `export default definePlugin(${body})`,
    '',
  ].join('\n')

const mistakes: readonly (readonly [name: string, step: string, manifest: object, source: string, message: RegExp])[] =
  [
    ['does not parse', 'code', {}, 'export default {', /index\.ts:1:\d+/],
    [
      'imports the host',
      'code',
      {},
      plugin('{}', `import { systemClock } from '${ROOT}/core/clock.ts'\nvoid systemClock`),
      /lies outside the plugin's folder/,
    ],
    [
      'imports what does not exist',
      'code',
      {},
      plugin('{}', "import './missing.ts'"),
      /index\.ts:2:\d+: Could not resolve "\.\/missing\.ts"/,
    ],
    [
      'imports a module with power over the machine',
      'run',
      {},
      plugin('{ setup: () => void spawn("ls") }', "import { spawn } from 'node:child_process'"),
      /node:child_process\. Declare it under needs\.builtins/,
    ],
    ['exports nothing', 'run', {}, 'export {}', /does not export what definePlugin returns/],
    [
      'registers a route that is not declared',
      'run',
      {},
      plugin("{ routes(app) { app.get('/api/x', () => 1) } }"),
      /registers GET \/api\/x, which plugin\.json does not declare/,
    ],
    [
      'declares a route that is not there',
      'run',
      { routes: [{ method: 'GET', path: '/api/x' }] },
      plugin('{}'),
      /declares GET \/api\/x, but routes\(\) does not register it/,
    ],
    [
      'provides nothing of what it declares',
      'run',
      { provides: ['exporter:csv'] },
      plugin('{}'),
      /declares "exporter:csv"/,
    ],
    [
      'does not start with empty settings',
      'run',
      {},
      plugin('{ config: Type.Object({ server: Type.String() }) }'),
      /server/,
    ],
    [
      'throws in setup',
      'run',
      {},
      plugin("{\n  setup() {\n    throw new Error('not today')\n  },\n}"),
      /index\.ts:6: not today/,
    ],
    [
      'uses the network beside the client',
      'run',
      {},
      plugin("{ setup: async () => void await fetch('http://127.0.0.1:1') }"),
      /ctx\.upstream/,
    ],
    ['has a wrong type', 'types', {}, plugin('{ setup: (ctx) => ctx.log.info(5) }'), /index\.ts\(4,\d+\): error TS/],
  ]

for (const [name, step, manifest, source, message] of mistakes) {
  t.test(`a plugin that ${name} fails at "${step}"`, async (t) => {
    await using sandbox = await openSandbox()
    const folder = join(sandbox.folder, 'checked')
    await mkdir(folder)
    await writeFile(join(folder, 'plugin.json'), JSON.stringify({ ...MANIFEST, ...manifest }))
    await writeFile(join(folder, 'index.ts'), source)

    const run = step === 'types' ? sandbox.cli : sandbox.cliWithoutTypeScript
    const { code, output, errors } = await run('plugin', 'check', 'checked')

    t.equal(code, 1)
    const [first = '', ...rest] = output.slice(output.indexOf(`FAIL  ${step}`)).split('\n')
    t.match(first, `FAIL  ${step}`, output)
    t.match([first, ...rest].join('\n'), message)
    t.match(errors, /^playhead: checked has [^\n]+\n$/)
  })
}

t.test('hooks and capabilities of other plugins are optional', async (t) => {
  await using sandbox = await openSandbox()
  const folder = join(sandbox.folder, 'checked')
  await mkdir(folder)
  await writeFile(join(folder, 'plugin.json'), JSON.stringify({ ...MANIFEST, requires: ['metadata:resolve@^1.0.0'] }))
  await writeFile(
    join(folder, 'index.ts'),
    plugin(`{
  async setup(ctx) {
    ctx.tap(hook.notify('runFinished'), 'checked', () => {})
    ctx.use(capability<{ resolve(): string }>('metadata:resolve'))
  },
}`),
  )

  const { code, output, errors } = await sandbox.program('plugin', 'check', folder)

  t.equal(code, 0, output + errors)
})

t.test('only pages have browser types', async (t) => {
  await using sandbox = await openSandbox()
  const folder = join(sandbox.folder, 'checked')
  const write = async (page: string, server = '') => {
    await mkdir(folder, { recursive: true })
    await writeFile(
      join(folder, 'plugin.json'),
      JSON.stringify({ ...MANIFEST, ui: { pages: [{ path: 'notes', title: 'Checked', module: 'page.ts' }] } }),
    )
    await writeFile(
      join(folder, 'note.ts'),
      "import { createHash } from 'node:crypto'\nexport interface Note { readonly text: string }\nexport const hashOf = ({ text }: Note): string => createHash('sha256').update(text).digest('hex')\n",
    )
    await writeFile(
      join(folder, 'index.ts'),
      plugin('{}', `import { hashOf } from './note.ts'\nvoid hashOf\n${server}`),
    )
    await writeFile(
      join(folder, 'page.ts'),
      `import type { Note } from './note.ts'\nexport function show(place: HTMLElement, { text }: Note): void {\n  ${page}\n}\n`,
    )
    return sandbox.cli('plugin', 'check', 'checked')
  }

  const good = await write('place.replaceChildren(document.createTextNode(text))')
  t.equal(good.code, 0, good.output + good.errors)
  t.match(good.output, /ok {4}types/)

  t.match(
    (await write('place.replaceChilds(document.body, text)')).output,
    /FAIL {2}types[\s\S]*page\.ts\(3,\d+\): error TS/,
  )
  t.match((await write('place.title = text + process.pid')).output, /FAIL {2}types[\s\S]*page\.ts\(3,\d+\): error TS/)
  const { output } = await write('place.title = text', 'void document')
  t.match(output, /FAIL {2}types[\s\S]*index\.ts\(4,\d+\): error TS/)
  t.equal(output.match(/error TS/g)?.length, 1, output)
})
