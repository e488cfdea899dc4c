// The libraries of a server and the features that use them.
import { Alert, Button, Group, MultiSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useChange, useRead } from '../../api/query.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { connections } from '../../texts/en/connections.ts'
import { say } from '../../texts/say.ts'
import { featureLabel } from './state.ts'

interface Library {
  readonly id: string
  readonly title: string
  readonly kind: string
}

type Scopes = Readonly<Record<string, { readonly libraries: readonly string[] }>>

const texts = connections.libraries
const KINDS: Readonly<Record<string, string>> = texts.kinds

export function Libraries({
  provider,
  instance,
  section,
  features,
}: {
  readonly provider: string
  readonly instance: string
  readonly section: string | null
  readonly features: readonly string[]
}) {
  const query = useRead(
    ['connections', 'libraries', provider, instance],
    'GET /api/connections/{provider}/{instance}/libraries',
    { params: { provider, instance } },
    { staleTime: 60_000 },
  )
  return (
    <QueryView query={query} rows={2}>
      {({ libraries, reason }) => {
        if (reason !== null)
          return <Alert color="yellow">{say(texts.failed, { reason: reason.replaceAll('_', ' ') })}</Alert>
        if (libraries.length === 0)
          return (
            <Text size="sm" c="dimmed">
              {texts.none}
            </Text>
          )
        return section === null ? (
          <Names libraries={libraries} />
        ) : (
          <Choice section={section} instance={instance} libraries={libraries} features={features} />
        )
      }}
    </QueryView>
  )
}

function Names({ libraries }: { readonly libraries: readonly Library[] }) {
  return <Text size="sm">{libraries.map(nameOf).join(', ')}</Text>
}

function Choice({
  section,
  instance,
  libraries,
  features,
}: {
  readonly section: string
  readonly instance: string
  readonly libraries: readonly Library[]
  readonly features: readonly string[]
}) {
  const settings = useRead(['connections', 'section', section, instance], 'GET /api/config/sections/{path}', {
    params: { path: section },
    query: { instance },
  })
  const [changed, setChanged] = useState<Scopes>({})
  const save = useChange('PUT /api/config/sections/{path}', {
    refresh: [['connections', 'section', section]],
    onDone: () => {
      setChanged({})
      notifyDone(texts.saved)
    },
  })
  if (settings.isLoading) return <Loading rows={2} />
  // Stored values may include features that the service lacks. A new profile has no values yet.
  const { schema, values } = settings.data ?? { schema: {}, values: {} }
  const scopes = features
    .filter((name) => at(schema, 'properties', name, 'properties', 'libraries') !== undefined)
    .map((name) => {
      const chosen = at(values, name, 'libraries')
      return [name, Array.isArray(chosen) ? chosen.map(String) : []] as const
    })
  if (scopes.length === 0) return <Names libraries={libraries} />
  const data = libraries.map((library) => ({ value: library.id, label: nameOf(library) }))
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {texts.hint}
      </Text>
      {scopes.map(([name, stored]) => {
        const value = changed[name]?.libraries ?? stored
        return (
          <MultiSelect
            key={name}
            label={say(texts.choose, { feature: featureLabel(name) })}
            data={data}
            value={[...value]}
            clearable
            searchable={data.length > 8}
            {...(value.length === 0 ? { placeholder: texts.all } : {})}
            onChange={(chosen) => setChanged({ ...changed, [name]: { libraries: chosen } })}
          />
        )
      })}
      {save.error === null ? null : <Failure error={save.error} />}
      <Group justify="flex-end">
        <Button
          size="xs"
          disabled={Object.keys(changed).length === 0}
          loading={save.isPending}
          onClick={() => save.mutate({ params: { path: section }, query: { instance }, body: { values: changed } })}
        >
          {texts.save}
        </Button>
      </Group>
    </Stack>
  )
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (inner as Readonly<Record<string, unknown>> | null | undefined)?.[name],
    value,
  )
}

function nameOf({ title, kind }: Library): string {
  const word = KINDS[kind.toLowerCase()]
  return word === undefined || word === title ? title : `${title} (${word})`
}
