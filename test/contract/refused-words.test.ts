// slow: every route, in the whole service
// A script author's errors for a wrong word or a wrong kind of body: the message names the valid ones.
import t from 'tap'
import { startService } from '../harness.ts'

t.setTimeout(900_000)

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
}
interface Operation {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly schema: Schema
    readonly example?: unknown
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

t.test('a wrong word is refused with the valid ones, and a wrong kind of body with the valid kinds', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  const { paths, components } = (await service.json('/openapi.json')).body as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  }
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split('/').at(-1)!] as Schema)

  /** The words of a schema that accepts only words. */
  function wordsOf(given: Schema): readonly string[] | undefined {
    const schema = resolved(given)
    if (schema.anyOf !== undefined) {
      const parts = schema.anyOf.map(wordsOf)
      return parts.some((one) => one === undefined) ? undefined : parts.flatMap((one) => one as string[])
    }
    if (schema.type === 'null') return []
    const words = schema.enum ?? ('const' in schema ? [schema.const] : [])
    const texts = words.filter((one) => typeof one === 'string')
    return texts.length > 0 && texts.length === words.filter((one) => one !== null).length ? texts : undefined
  }

  const counted = { query: 0, body: 0, kinds: 0 }
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { parameters = [], requestBody }] of Object.entries(operations)) {
      // Answered like any other body, so that the sender does not retry.
      if (path.startsWith('/webhook/')) continue
      // Only for development tokens, which are checked before the body is read.
      if (path === '/api/plugin-development') continue
      const name = `${method} ${path}`
      const example = new Map(parameters.map((one) => [one.name, String(one.example ?? 'x')]))
      const address =
        service.url + path.replaceAll(/\{(\w+)\}/g, (_all, one) => encodeURIComponent(example.get(one) ?? 'x'))
      const ask = async (where: string, headers: Record<string, string>, body?: string) => {
        const answer = await fetch(where, {
          method: method.toUpperCase(),
          headers: { cookie: service.cookie(), ...headers },
          redirect: 'manual',
          ...(body === undefined ? {} : { body }),
        })
        const text = await answer.text()
        return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text }
      }
      const json = Object.entries(requestBody?.content ?? {})
      const refusedWord = async (part: 'query' | 'body', field: string, words: readonly string[]) => {
        const answer =
          part === 'query'
            ? await ask(`${address}?${field}=no-such-word`, {})
            : await ask(address, { 'content-type': 'application/json' }, JSON.stringify({ [field]: 'no-such-word' }))
        const what = `${name}: ${part} ${field}`
        if (!t.equal(answer.status, 422, what)) return
        const said = answer.body.detail.filter(({ loc }: any) => loc.join() === `${part},${field}`)
        t.equal(said.length, 1, `${what}: one problem, not one for each word`)
        for (const word of words) t.ok(said[0]?.msg.includes(JSON.stringify(word)), `${what} says ${word}`)
        counted[part] += 1
      }
      if (json.length > 0) {
        const { status, body } = await ask(address, { 'content-type': 'application/x-none' }, 'x')
        t.equal(status, 415, `${name} takes no such body`)
        for (const [kind] of json) t.ok(body.detail?.includes(kind), `${name} says ${kind}: ${body.detail}`)
        counted.kinds += 1
      }
      for (const { in: part, name: field, schema } of parameters) {
        // The body is validated first.
        const words = part === 'query' && requestBody === undefined ? wordsOf(schema) : undefined
        if (words !== undefined) await refusedWord('query', field, words)
      }
      const fields = resolved(requestBody?.content['application/json']?.schema ?? {}).properties ?? {}
      for (const [field, schema] of Object.entries(fields)) {
        const words = wordsOf(schema)
        if (words !== undefined) await refusedWord('body', field, words)
      }
    }
  }
  t.ok(counted.query > 10 && counted.body > 10 && counted.kinds > 100, JSON.stringify(counted))
})
