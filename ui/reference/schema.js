// Schemas of the description as text for people: their outline, and a body to begin with.

const DEEPEST = 6

/** The schema that a reference stands for. */
export function resolve(value, components) {
  const [, kind, name] = /^#\/components\/([^/]+)\/(.+)$/.exec(value?.$ref ?? '') ?? []
  return kind === undefined ? value : (components?.[kind]?.[name] ?? {})
}

/** Names, types, required properties, descriptions. */
export function outline(given, components, depth = 0) {
  const schema = resolve(given, components)
  if (schema === undefined || depth > DEEPEST) return '…'
  const pad = '  '.repeat(depth)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.map((one) => outline(one, components, depth)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ')
  if (schema.type === 'array') return `[${outline(schema.items ?? {}, components, depth)}]`
  if (schema.properties !== undefined) {
    const required = new Set(schema.required ?? [])
    const lines = Object.entries(schema.properties).map(
      ([name, value]) =>
        `${pad}  ${name}${required.has(name) ? '' : '?'}: ${outline(value, components, depth + 1)}${value.description ? `  // ${value.description}` : ''}`,
    )
    return `{\n${lines.join('\n')}\n${pad}}`
  }
  return [schema.type ?? 'any'].flat().join(' | ')
}

/** The example of the description, otherwise a value with what is required. */
export function sample(given, components, depth = 0) {
  const schema = resolve(given, components) ?? {}
  const known = schema.example ?? schema.examples?.[0] ?? schema.default ?? schema.const ?? schema.enum?.[0]
  if (known !== undefined) return known
  const choice = (schema.anyOf ?? schema.oneOf)?.[0]
  if (choice !== undefined) return sample(choice, components, depth)
  if (schema.type === 'array') return []
  if (schema.properties !== undefined && depth < DEEPEST)
    return Object.fromEntries(
      (schema.required ?? []).map((name) => [name, sample(schema.properties[name], components, depth + 1)]),
    )
  return { string: '', integer: 0, number: 0, boolean: false, object: {} }[[schema.type].flat()[0]] ?? null
}
