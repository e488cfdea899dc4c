// A plugin of about 300 KB of source in nine files, that uses every resource a plugin can hold.
const CLASSES_PER_FILE = 110

/** The files of one version; only `index.ts` differs between versions. */
export function largeSource(version: number): Readonly<Record<string, string>> {
  const parts = Object.fromEntries(Array.from({ length: 8 }, (_unused, part) => [`part-${part}.ts`, partSource(part)]))
  return {
    ...parts,
    'index.ts': `import { capability, definePlugin, RUNNING_OPERATIONS, Type } from '@playhead/sdk'
${Array.from({ length: 8 }, (_unused, part) => `import * as part${part} from './part-${part}.ts'`).join('\n')}
const version = ${version}
const kept = [${Array.from({ length: 8 }, (_unused, part) => `Object.keys(part${part}).length`).join(', ')}]
export default definePlugin({
  config: Type.Object({ size: Type.Integer({ default: 1 }) }),
  services: { box: () => ({ content: new Array(1000).fill(version), [Symbol.dispose]() {} }) },
  setup(ctx) {
    ctx.services.box
    setInterval(() => kept.push(1), 60_000)
    setTimeout(() => kept.push(2), 600_000)
    ctx.after(600_000, () => kept.push(3))
    ctx.every('1h', 'tidy', () => { kept.push(4) })
    ctx.events.on('nothing.ever', () => { kept.push(5) })
    ctx.tap(RUNNING_OPERATIONS, 'large', () => [])
    ctx.upstream.account({ account: 'large', baseUrl: 'http://127.0.0.1:1' })
    ctx.provide(capability('large:thing'), { version: () => version })
    ctx.defer(() => { kept.length = 0 })
  },
  routes(app) {
    app.get('/api/large', { schema: { response: { 200: Type.Object({ version: Type.Integer(), parts: Type.Integer() }) } } }, () => ({ version, parts: kept.length }))
    app.post('/api/large/:id', { schema: { params: Type.Object({ id: Type.String() }), body: Type.Object({ n: Type.Integer() }) } }, (request) => request.body)
  },
})
`,
  }
}

function partSource(part: number): string {
  return Array.from(
    { length: CLASSES_PER_FILE },
    (_unused, index) => `
export class Part${part}Class${index} {
  readonly name = 'part ${part} class ${index}'
  #count = ${index}
  add(amount: number): number {
    if (amount < 0) throw new RangeError(\`part ${part} class ${index} takes no \${amount}\`)
    this.#count += amount * ${part + 1}
    return this.#count
  }
  describe(): string { return \`\${this.name}: \${this.#count}\` }
}`,
  ).join('\n')
}
