// The description of one area, with the schemas it uses: the whole one keeps a browser busy for seconds.
type Json = Readonly<Record<string, unknown>>

const REFERENCE = /^#\/components\/([^/]+)\/(.+)$/

/** The areas, as their names stand in the description. */
export function areasOf(description: Json): readonly string[] {
  return ((description['tags'] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name)
}

export function oneArea(description: Json, area: string): Json {
  const paths = Object.fromEntries(
    Object.entries((description['paths'] ?? {}) as Readonly<Record<string, Json>>).flatMap(([path, operations]) => {
      const own = Object.entries(operations).filter(
        ([, operation]) => ((operation as Json)['tags'] as readonly string[] | undefined)?.[0] === area,
      )
      return own.length === 0 ? [] : [[path, Object.fromEntries(own)]]
    }),
  )
  const all = (description['components'] ?? {}) as Readonly<Record<string, Json>>
  const components: Record<string, Record<string, unknown>> = { securitySchemes: { ...all['securitySchemes'] } }
  const waiting: unknown[] = [paths]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null) continue
    const [, kind = '', name = ''] = REFERENCE.exec(String((value as Json)['$ref'] ?? '')) ?? []
    const used = all[kind]?.[name]
    if (used !== undefined && components[kind]?.[name] === undefined) {
      components[kind] = { ...components[kind], [name]: used }
      waiting.push(used)
    }
    waiting.push(...Object.values(value))
  }
  return {
    ...description,
    tags: ((description['tags'] ?? []) as readonly Json[]).filter(({ name }) => name === area),
    paths,
    components,
  }
}
