// Export and import of the manual policy.
import {
  AcrossPersons,
  assertOnePerson,
  FEATURES,
  type PluginApp,
  readUploads,
  skipSerializer,
  Type,
  uploadedFile,
  UPLOADED_FILE,
} from '@playhead/sdk'
import { ShownItem } from '@playhead/sdk/items'
import { Readable } from 'node:stream'
import { invalid, requirePolicy, type Sources } from '../sources.ts'
import { PolicyImportAnswer } from './answers.ts'

const IMPORT = '/api/editor/state/manual/import'
const MAX_BYTES = 20 * 1024 * 1024
const FILE = 'svc-state-policy.json'

const Scope = Type.Object(
  {
    adds: Type.Object({ items: Type.Record(Type.String(), ShownItem, { description: 'By key.' }) }),
    blocks: Type.Array(Type.String(), { description: 'Keys.' }),
  },
  { title: 'PolicyScope' },
)
const Scopes = Type.Object(Object.fromEntries(FEATURES.map((feature) => [feature, Type.Optional(Scope)])))
const PolicyFile = Type.Object({
  providers: Type.Record(
    Type.String(),
    Type.Object(
      {
        instances: Type.Optional(
          Type.Record(Type.String(), Scopes, { description: 'The scopes of further profiles, by profile id.' }),
        ),
        ...Scopes.properties,
      },
      { additionalProperties: false },
    ),
    { description: 'By provider.' },
  ),
  version: Type.Integer(),
})

export function registerPolicyRoutes(app: PluginApp, { policy, persons, has }: Sources): void {
  readUploads(app, { [IMPORT]: { maxBytes: MAX_BYTES } })

  app.get(
    '/api/editor/state/manual/export',
    { ...skipSerializer, schema: { summary: 'The manual policy as a file', response: { 200: PolicyFile } } },
    async (_request, reply) => {
      requirePolicy(has)
      const pieces = policy.export()[Symbol.asyncIterator]()
      // Errors must occur before the first chunk is sent.
      const first = await pieces.next()
      return reply
        .type('application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="${FILE}"`)
        .send(Readable.from(from(first, pieces), { objectMode: false }))
    },
  )

  app.post<{ Querystring: { mode: string; dry_run: boolean; across_persons?: boolean } }>(
    IMPORT,
    {
      ...skipSerializer,
      schema: {
        summary: 'Import a manual policy',
        takes: UPLOADED_FILE,
        body: Type.Object({}, { additionalProperties: true }),
        querystring: Type.Object({
          mode: Type.String({ default: 'merge', maxLength: 40, description: '`merge` or `replace`.' }),
          dry_run: Type.Boolean({ default: false, description: 'Only check and count.' }),
          across_persons: AcrossPersons,
        }),
        response: { 200: PolicyImportAnswer },
      },
    },
    async (request) => {
      const mode = readMode(request.query.mode)
      requirePolicy(has)
      const text = decode(uploadedFile(request))
      const { dry_run: isDry, across_persons: isConfirmed } = request.query
      if (!isDry && isConfirmed !== true) {
        const household = await persons()
        // A check of the whole file costs as much as its import.
        if (household.length > 1)
          assertOnePerson(household, [(await policy.import(text, { mode, dryRun: true })).accounts], false)
      }
      const { dryRun, copy, accounts: _accounts, ...result } = await policy.import(text, { mode, dryRun: isDry })
      return { ok: true, ...result, dry_run: dryRun, copy }
    },
  )
}

/** Throws `PLH_INVALID` (`invalid_mode`). */
export function readMode(text: string): 'merge' | 'replace' {
  const mode = text.trim().toLowerCase()
  if (mode === 'merge' || mode === 'replace') return mode
  throw invalid('invalid_mode', 'Invalid mode. There are merge and replace.')
}

async function* from(first: IteratorResult<string>, rest: AsyncIterator<string>): AsyncGenerator<string> {
  for (let step = first; step.done !== true; step = await rest.next()) yield step.value
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid('invalid_json', 'The file is not UTF-8 text.')
  }
}
