// Parts of responses that the description leaves open: a client has no type for them.
interface Schema {
  readonly $ref?: string
  readonly type?: unknown
  readonly enum?: unknown
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema | boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly description?: string
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}
interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >
}

/**
 * `GET /api/x .items[].meta`, or `Component .meta` for a shared component: values without a type, objects without described
 * members, and lists without described elements. With its description.
 */
export function freeFormParts({ paths, components }: Description): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const walk = (schema: Schema | boolean | undefined, place: string, about = ''): void => {
    if (schema === undefined || schema === false) return
    if (schema === true) return void found.set(place, about)
    if (schema.$ref !== undefined) return
    const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
    const { properties = {}, patternProperties = {}, additionalProperties, items } = schema
    const members = [...Object.entries(properties), ...Object.entries(patternProperties)]
    const isObject = schema.type === 'object'
    const saysNothing =
      (schema.type === undefined && parts.length === 0 && schema.enum === undefined && !('const' in schema)) ||
      (isObject && members.length === 0 && parts.length === 0 && additionalProperties === undefined) ||
      (isObject && members.length === 0 && parts.length === 0 && additionalProperties === true) ||
      (schema.type === 'array' && items === undefined)
    if (saysNothing) found.set(place, schema.description ?? about)
    for (const part of parts) walk(part, place, schema.description)
    for (const [name, member] of members) walk(member, `${place}.${name}`)
    if (typeof additionalProperties === 'object') walk(additionalProperties, `${place}.*`, schema.description)
    if (items !== undefined) walk(items, `${place}[]`, schema.description)
  }
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { responses }] of Object.entries(methods))
      for (const [status, { content = {} }] of Object.entries(responses))
        if (status.startsWith('2')) walk(content['application/json']?.schema, `${method.toUpperCase()} ${path} `)
  // Responses only: routes validate requests themselves.
  for (const [name, schema] of Object.entries(components.schemas))
    if (!name.endsWith('Request')) walk(schema, `${name} `)
  return found
}

/** Free-form parts with reasons; each rule must still be needed. A new part of a response gets a schema instead of a rule. */
export const FREE_FORM: readonly (readonly [place: RegExp, reason: string])[] = [
  [
    / \/api\/config(\/meta|\/sections\/\{path\})? \.(config\.|ui\.|schema\.|values\.)?\*$/,
    'settings: each section has a schema',
  ],
  [/ \.(features\[\]\.schema|pair|notifiers\[\]\.settings)$/, 'a JSON schema'],
  [/ \/api\/auth\/providers .*\.form\.\*$/, 'a JSON schema of the fields that a sign-in asks for'],
  [/^NotificationTarget \.settings\.\*$/, 'settings of a notifier, whose schema is in the answer'],
  [/^(Pair|(POST|PUT) \/api\/pairs.*) \.providers\.\*$/, 'options of a service in a pair, which its plugin names'],
  [/^Event \.detail$/, 'what the recorder of an event says beside'],
  [/ \/api\/attention .*\.action\.call\.body\.\*$/, 'the body of another operation'],
  [/^(AnimeMappingStatus|POST \/api\/anime-mapping\/update) \.stats\.\*$/, 'a file of the data set as it is'],
  [/^(MaintenanceResult|POST \/api\/maintenance\/.*) \.details\.\*$/, 'the facts of an action, which its plugin names'],
  [/^MaintenanceRun \.result$/, 'the answer of the action itself'],
  [/ \/api\/system\/health \.checks\[\]\.detail$/, 'the facts of a check, which its plugin names'],
]
