// HTTP routes of single sections with their JSON schema, for generic forms.
import { hash } from 'node:crypto'
import { Type, type Static } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { callerName, skipSerializer, PlayheadError } from '@playhead/sdk'
import type { ConfigDocument } from '../contract.ts'
import { isObject, valueAt } from '../document/document.ts'
import { ifRevision, Revision } from './save.ts'
import { saveInput } from './save.ts'
import type { JsonSchema } from '../document/schema-walk.ts'
import type { RunningConfig } from '../service.ts'

export interface SectionOwner {
  readonly name: string
  readonly description: string
  readonly kind: string
}

interface SectionRoutesDependencies {
  readonly config: RunningConfig
  readonly version: string
  /** A plugin; undefined if unknown. */
  readonly ownerOf: (id: string) => SectionOwner | undefined
}

const tags = ['Configuration']
const access = { auth: 'S', scope: 'admin' } as const
const DEFAULT = 'default'
const Params = Type.Object({ path: Type.String({ maxLength: 200 }) })
const Query = Type.Object({
  instance: Type.String({ default: DEFAULT, maxLength: 64, description: 'A profile, where the section has profiles.' }),
})
const Body = Type.Object({ values: Type.Record(Type.String(), Type.Unknown()), revision: Revision })
const Values = Type.Record(Type.String(), Type.Unknown())
const List = Type.Object({
  ok: Type.Boolean(),
  sections: Type.Array(
    Type.Object({
      path: Type.String(),
      owner: Type.String(),
      title: Type.String(),
      description: Type.Union([Type.String(), Type.Null()]),
      kind: Type.String(),
      has_instances: Type.Boolean(),
      fields: Type.Array(Type.String(), { description: 'What can be set there: the titles of its fields.' }),
    }),
  ),
})
const Fields = Type.Object({
  ok: Type.Boolean(),
  sections: Type.Array(
    Type.Object({
      path: Type.String(),
      title: Type.String(),
      description: Type.Union([Type.String(), Type.Null()]),
      kind: Type.String(),
      fields: Type.Array(
        Type.Object({
          path: Type.String({ description: 'Relative to the section, for example `removal.min`.' }),
          title: Type.String(),
          description: Type.Union([Type.String(), Type.Null()]),
        }),
      ),
    }),
  ),
})
const One = Type.Object({
  ok: Type.Boolean(),
  path: Type.String(),
  owner: Type.String(),
  title: Type.String(),
  schema: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON schema; every field has a title.' }),
  values: Values,
  revision: Type.String(),
})
const Saved = Type.Object({
  ok: Type.Boolean(),
  path: Type.String(),
  values: Values,
  revision: Type.String(),
  ignored_paths: Type.Array(Type.String()),
  warnings: Type.Array(Type.Object({ path: Type.String(), code: Type.String(), message: Type.String() })),
})

export function registerSectionRoutes(
  app: FastifyInstance,
  { config, version, ownerOf }: SectionRoutesDependencies,
): void {
  function sections() {
    return config.contributions().flatMap(({ owner, sections: own }) =>
      own.map(({ path, schema }) => {
        const plugin = owner === 'core' ? undefined : ownerOf(owner)
        const fields = (schema as JsonSchema)['properties'] as Readonly<Record<string, JsonSchema>> | undefined
        return {
          path,
          owner,
          schema: schema as JsonSchema,
          hasInstances: fields?.['instances'] !== undefined,
          kind: plugin?.kind ?? 'core',
          title:
            typeof schema.title === 'string'
              ? schema.title
              : own.length === 1 && plugin !== undefined
                ? plugin.name
                : words(path),
          description: plugin?.description ?? null,
        }
      }),
    )
  }

  function find(path: string) {
    const section = sections().find((one) => one.path === path)
    if (section === undefined)
      throw new PlayheadError('PLH_NOT_FOUND', `There are no settings "${path.slice(0, 80)}".`, {
        wire: 'section_not_found',
      })
    return section
  }

  function valuesOf(section: ReturnType<typeof find>, instance: string): ConfigDocument {
    const value = valueAt(config.masked(), section.path.split('.'))
    const all = isObject(value) ? value : {}
    if (!section.hasInstances) return all
    const { instances, ...first } = all
    if (instance === DEFAULT) return first
    const own = isObject(instances) ? instances[instance] : undefined
    if (!isObject(own))
      throw new PlayheadError('PLH_NOT_FOUND', 'This account does not exist.', {
        wire: 'not_found',
        details: { instance },
      })
    return own
  }

  app.get(
    '/api/config/sections',
    {
      ...skipSerializer,
      config: { access },
      schema: { tags, summary: 'The sections of the settings', response: { 200: List } },
    },
    () => ({
      ok: true,
      sections: sections().map(({ schema, hasInstances, ...section }) => ({
        ...section,
        has_instances: hasInstances,
        fields: titlesOf(formSchema(schema)),
      })),
    }),
  )

  const allFields = () => ({
    ok: true,
    sections: sections().map(({ path, title, description, kind, schema }) => ({
      path,
      title,
      description,
      kind,
      fields: fieldsOf(formSchema(schema)),
    })),
  })

  app.get(
    '/api/config/fields',
    {
      ...skipSerializer,
      // Plugins add sections at any time, and a schema has no revision of its own.
      config: { access, revision: () => hash('sha256', JSON.stringify(allFields()), 'base64url') },
      schema: {
        tags,
        summary: 'Every field that a person can set, with its section',
        description: 'For a search. Fields that the service maintains, and fields without effect, are left out.',
        response: { 200: Fields },
      },
    },
    allFields,
  )

  app.get(
    '/api/config/sections/:path',
    {
      ...skipSerializer,
      config: { access },
      schema: {
        tags,
        summary: 'One section: its schema, and its values with secrets masked',
        params: Params,
        querystring: Query,
        response: { 200: One },
      },
    },
    (request) => {
      const section = find((request.params as Static<typeof Params>).path)
      const values = valuesOf(section, (request.query as Static<typeof Query>).instance)
      return {
        ok: true,
        path: section.path,
        owner: section.owner,
        title: section.title,
        schema: formSchema(section.schema),
        values,
        revision: config.revision(),
      }
    },
  )

  app.put(
    '/api/config/sections/:path',
    {
      ...skipSerializer,
      config: { access },
      schema: {
        tags,
        summary: 'Saves one section: merged into what is stored',
        params: Params,
        querystring: Query,
        body: Body,
        response: { 200: Saved },
      },
    },
    async (request) => {
      const section = find((request.params as Static<typeof Params>).path)
      const { instance } = request.query as Static<typeof Query>
      const { values, revision } = request.body as Static<typeof Body>
      valuesOf(section, instance)
      const own = section.hasInstances && instance !== DEFAULT ? { instances: { [instance]: values } } : values
      const body = section.path.split('.').reduceRight<unknown>((below, name) => ({ [name]: below }), own)
      const { change, ignoredPaths, warnings } = await saveInput(config, body, {
        by: callerName(request.caller) ?? 'anonymous',
        version,
        ifRevision: ifRevision(request, revision),
      })
      return {
        ok: true,
        path: section.path,
        values: valuesOf(section, instance),
        revision: change.revision,
        ignored_paths: ignoredPaths,
        warnings,
      }
    },
  )
}

const ABBREVIATIONS = /\b(?:api|guid|http|ids?|mb|oauth|pin|pms|sso|ssl|tls|ttl|ui|url)\b/g

/** The schema of one profile, or of the section without profiles. */
function formSchema(schema: JsonSchema): JsonSchema {
  const { instances: _further, ...properties } = (schema['properties'] ?? {}) as Record<string, JsonSchema>
  return titled({ ...schema, properties }) as JsonSchema
}

function titled(schema: JsonSchema): JsonSchema {
  const properties = schema['properties'] as Readonly<Record<string, JsonSchema>> | undefined
  if (properties === undefined) return schema
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    { title: words(name), ...titled(field), ...(field['secret'] === true ? { format: 'password' } : {}) },
  ])
  return { ...schema, properties: Object.fromEntries(fields) as Record<string, JsonSchema> }
}

/** Without the fields that no form shows: those that the service maintains, and those without effect. */
function titlesOf(schema: JsonSchema): string[] {
  const fields = Object.values((schema['properties'] ?? {}) as Readonly<Record<string, Shown>>)
  return fields.flatMap((field) =>
    field.readOnly === true || field.deprecated === true ? [] : [field.title, ...titlesOf(field)],
  )
}

interface Shown extends JsonSchema {
  readonly title: string
  readonly readOnly?: boolean
  readonly deprecated?: boolean
}

interface Field {
  readonly path: string
  readonly title: string
  readonly description: string | null
}

interface Described extends JsonSchema {
  readonly title: string
  readonly description?: string
  readonly readOnly?: boolean
  readonly deprecated?: boolean
}

function fieldsOf(schema: JsonSchema, above = ''): readonly Field[] {
  const fields = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Described>>)
  return fields.flatMap(([name, field]) => {
    if (field.readOnly === true || field.deprecated === true) return []
    const path = above === '' ? name : `${above}.${name}`
    if (field['properties'] !== undefined) return fieldsOf(field, path)
    return [{ path, title: field.title, description: field.description ?? null }]
  })
}

/** `server_url`: "Server URL". */
function words(name: string): string {
  const text = name
    .replace(/^plugins\./, '')
    .replaceAll(/[_.-]+/g, ' ')
    .trim()
    .replaceAll(ABBREVIATIONS, (word) => (word === 'ids' ? 'IDs' : word === 'oauth' ? 'OAuth' : word.toUpperCase()))
  return text.charAt(0).toUpperCase() + text.slice(1)
}
