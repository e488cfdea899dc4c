// The settings of a plugin, one form per section.
import { Alert, Anchor, Button, Paper, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Answer } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { useChange, useRead } from '../../api/query.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { SchemaForm } from '../../parts/schema-form/index.tsx'
import { plugins } from '../../texts/en/plugins.ts'
import { say } from '../../texts/say.ts'
import type { PluginDetail } from './plugin.tsx'

type Values = Record<string, unknown>
const texts = plugins.settings

export default function Settings({ plugin }: { readonly plugin: PluginDetail }) {
  return (
    <Stack>
      {plugin.provider === null ? null : (
        <Text>
          {texts.profiles}{' '}
          <Anchor
            component={Link}
            href={`/connections/${encodeURIComponent(plugin.provider.id)}`}
            underline="always"
            inherit
          >
            {texts.toConnection}
          </Anchor>
        </Text>
      )}
      {plugin.sections.map(({ path }) => (
        <Section key={path} path={path} name={plugin.name} isOnly={plugin.sections.length === 1} />
      ))}
    </Stack>
  )
}

function Section({ path, name, isOnly }: { readonly path: string; readonly name: string; readonly isOnly: boolean }) {
  // Under the plugins key, so that a reload of the plugin refetches the schema.
  const query = useRead(['plugins', 'settings', path], 'GET /api/config/sections/{path}', { params: { path } })
  const [readings, setReadings] = useState(0)
  const readAgain = async () => {
    await query.refetch()
    setReadings((n) => n + 1)
  }
  return (
    <Paper component="section" withBorder p="md">
      <QueryView query={query}>
        {(section) => (
          <>
            {isOnly ? null : (
              <Title order={2} size="h5" mb="sm">
                {section.title}
              </Title>
            )}
            <Form
              key={`${readings} ${JSON.stringify(section.schema)}`}
              path={path}
              name={name}
              section={section}
              onReadAgain={() => void readAgain()}
            />
          </>
        )}
      </QueryView>
    </Paper>
  )
}

interface FormProps {
  readonly path: string
  readonly name: string
  readonly section: Answer<'GET /api/config/sections/{path}'>
  readonly onReadAgain: () => void
}

function Form({ path, name, section, onReadAgain }: FormProps) {
  const [value, setValue] = useState<unknown>(section.values)
  const [revision, setRevision] = useState(section.revision)
  const save = useChange('PUT /api/config/sections/{path}', {
    refresh: [['plugins', 'settings', path], ['settings']],
    onDone(answer) {
      setValue(answer.values)
      setRevision(answer.revision)
      notifyDone(say(texts.saved, { name }))
    },
  })
  const isStale = isApiError(save.error, 409)
  return (
    <Stack gap="sm">
      {isStale ? (
        <Alert color="orange" role="alert">
          <Text mb="xs">{texts.changed}</Text>
          <Button size="xs" variant="default" onClick={onReadAgain}>
            {texts.readAgain}
          </Button>
        </Alert>
      ) : null}
      {save.error === null || isStale ? null : <Failure error={save.error} />}
      {save.data === undefined || save.data.ignored_paths.length === 0 ? null : (
        <Alert color="orange">{say(texts.ignored, { fields: save.data.ignored_paths.join(', ') })}</Alert>
      )}
      <SchemaForm
        schema={section.schema}
        value={value}
        onChange={setValue}
        submitText={texts.save}
        isBusy={save.isPending}
        error={save.error}
        onSubmit={(values) => save.mutate({ params: { path }, body: { values: values as Values, revision } })}
      />
    </Stack>
  )
}
