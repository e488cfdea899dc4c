// The form of a settings section, from its schema.
import { Alert, List, Stack, Text, Title } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { api, type Answer } from '../../api/client.ts'
import { type ApiError, isApiError, toApiError } from '../../api/error.ts'
import { useChange, useRead } from '../../api/query.ts'
import { Failure } from '../page/failure.tsx'
import { notifyDone } from '../dialogs/notify.ts'
import { ChangedElsewhere } from '../page/changed-elsewhere.tsx'
import { useDraft } from '../page/use-draft.ts'
import { QueryView } from '../page/query-view.tsx'
import { SchemaForm } from '../schema-form/index.tsx'
import { settings } from '../../texts/en/settings.ts'
import { serviceText } from '../../texts/service-text.ts'
import { say } from '../../texts/say.ts'

interface SectionFormProps {
  readonly path: string
  readonly instance?: string
  /** Shows and saves only these fields. */
  readonly only?: readonly string[]
  readonly onSaved?: () => void
  /** Shows the section name above the form. */
  readonly isTitled?: boolean
}

export function SectionForm({ path, instance, isTitled = false, ...rest }: SectionFormProps) {
  const query = useRead(
    ['settings', 'section', path],
    'GET /api/config/sections/{path}',
    { params: { path }, query: { instance } },
    { staleTime: 0 },
  )
  return (
    <QueryView query={query} rows={5}>
      {(data) => (
        <>
          {isTitled ? (
            <Title order={2} size="h5" mb="sm">
              {serviceText(data.title)}
            </Title>
          ) : null}
          <Fields key={`${path} ${instance ?? ''}`} data={data} {...rest} instance={instance} />
        </>
      )}
    </QueryView>
  )
}

type Loaded = Answer<'GET /api/config/sections/{path}'>
type Saved = Answer<'PUT /api/config/sections/{path}'>

function Fields({
  data,
  instance,
  only,
  onSaved,
}: Omit<SectionFormProps, 'path' | 'isTitled'> & { readonly data: Loaded }) {
  const { path } = data
  const schema = useMemo(
    () => simpler(only === undefined ? (data.schema as Schema) : choose(data.schema as Schema, only)),
    [data.schema, only],
  )
  // An edited form keeps its revision, so that a save over newer data is refused.
  const read = useMemo(
    () => ({ value: only === undefined ? data.values : pick(data.values, only), revision: data.revision }),
    [data.values, data.revision, only],
  )
  const [{ value, revision }, setDraft, reload] = useDraft<{
    readonly value: Readonly<Record<string, unknown>>
    readonly revision: string
  }>(read)
  const [saved, setSaved] = useState<Saved | null>(null)
  const save = useChange('PUT /api/config/sections/{path}', { refresh: [['settings', 'section', path]], onDone })
  const error = useMemo(
    () => (save.error === null ? null : within(save.error, path, instance)),
    [save.error, path, instance],
  )

  function onDone(answer: Saved) {
    setDraft({ value: only === undefined ? answer.values : pick(answer.values, only), revision: answer.revision })
    setSaved(answer)
    notifyDone(settings.form.saved)
    onSaved?.()
  }

  async function submit(values: unknown) {
    setSaved(null)
    const input = { params: { path }, query: { instance } }
    await save
      .mutateAsync({ ...input, body: { values: values as Record<string, unknown>, revision } })
      .catch(async (problem: unknown) => {
        if (!isApiError(problem, 409)) return
        const { revision: now } = await api('GET /api/config/sections/{path}', input)
        setDraft((draft) => ({ ...draft, revision: now }))
      })
  }

  if (Object.keys(schema.properties ?? {}).length === 0) return <Text c="dimmed">{settings.form.nothing}</Text>
  return (
    <Stack gap="sm">
      {error?.status === 409 ? null : <ChangedElsewhere reload={reload} />}
      <SchemaForm
        schema={schema}
        value={value}
        onChange={(next) => setDraft((draft) => ({ ...draft, value: next as Readonly<Record<string, unknown>> }))}
        onSubmit={(next) => void submit(next)}
        isBusy={save.isPending}
        error={error}
      />
      {error === null ? null : (
        <Failure error={error} {...(error.status === 409 ? { text: settings.form.stale } : {})} />
      )}
      {saved === null || saved.warnings.length + saved.ignored_paths.length === 0 ? null : <Warnings saved={saved} />}
    </Stack>
  )
}

function Warnings({ saved: { warnings, ignored_paths: ignored } }: { readonly saved: Saved }) {
  return (
    <Alert color="yellow" title={settings.form.noted} icon={<IconInfoCircle aria-hidden />} role="status">
      <List size="sm">
        {warnings.map(({ path, message }) => (
          <List.Item key={path + message}>{message}</List.Item>
        ))}
        {ignored.length === 0 ? null : (
          <List.Item>{say(settings.form.ignored, { names: ignored.join(', ') })}</List.Item>
        )}
      </List>
    </Alert>
  )
}

// Field paths of the service start at the settings root; the form needs them relative to its section.
function within(error: ApiError, path: string, instance: string | undefined): ApiError {
  const prefix = `${path}.${instance === undefined || instance === 'default' ? '' : `instances.${instance}.`}`
  const detail = Object.entries(error.fields).map(([field, msg]) => ({
    loc: ['body', ...(field.startsWith(prefix) ? field.slice(prefix.length) : field).split('.')],
    msg,
  }))
  return detail.length === 0 ? error : toApiError({ status: error.status, body: { detail } })
}

function pick(values: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => name in values).map((name) => [name, values[name]]))
}

interface Schema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly [keyword: string]: unknown
}

/** A value that may be a list or a text becomes a list. No field is required, because every field has a default. */
function simpler(schema: Schema): Schema {
  const list = schema.anyOf?.find(({ type }) => type === 'array')
  if (list !== undefined && schema.anyOf?.every(({ type }) => type === 'array' || type === 'string') === true) {
    const { anyOf: _alternatives, ...rest } = schema
    return { ...rest, ...list }
  }
  if (schema.properties === undefined) return schema
  const { required: _defaulted, ...rest } = schema
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(schema.properties).map(([name, field]) => [name, simpler(field)])),
  }
}

function choose(schema: Schema, names: readonly string[]): Schema {
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => names.includes(name))),
    required: (schema.required ?? []).filter((name) => names.includes(name)),
  }
}
