// Export: an account, what of it, the format, how the file begins, and the file.
import { Alert, Button, Checkbox, Code, Group, Paper, Select, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { IconDownload, IconFileExport } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Answer } from '../../api/client.ts'
import { download } from '../../api/download.ts'
import type { ApiError } from '../../api/error.ts'
import { useRead } from '../../api/query.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { exporting as texts } from '../../texts/en/export.ts'
import { locale } from '../../texts/language.ts'
import { shell } from '../../texts/en/shell.ts'
import { say } from '../../texts/say.ts'

type Options = Answer<'GET /api/export/options'>
const ALL = 'all'
const KILO = 1_000
const kilobytes = new Intl.NumberFormat(locale, { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 1 })

export default function Export() {
  const query = useRead(['export'], 'GET /api/export/options')
  return (
    <Page title={shell.pages.export} text={texts.intro}>
      <QueryView
        query={query}
        isEmpty={({ providers }) => providers.length === 0}
        empty={
          <EmptyState
            icon={IconFileExport}
            title={texts.none.title}
            text={texts.none.text}
            action={
              <Button component={Link} href="/connections">
                {texts.none.action}
              </Button>
            }
          />
        }
      >
        {(options) => <Form options={options} />}
      </QueryView>
    </Page>
  )
}

function Form({ options }: { readonly options: Options }) {
  const [provider, setProvider] = useState(options.providers[0] as string)
  const [instance, setInstance] = useState(ALL)
  const [feature, setFeature] = useState('history')
  const usable = options.formats[feature] ?? []
  const [wantedFormat, setFormat] = useState('json')
  const format = usable.includes(wantedFormat) ? wantedFormat : (usable[0] ?? '')
  const able = options.capabilities[format]?.media_types ?? []
  const [types, setTypes] = useState<readonly string[]>(['movie', 'show', 'season', 'episode'])
  const chosen = types.filter((type) => able.includes(type))
  const [hasRewatches, setRewatches] = useState(true)
  const input = {
    provider,
    provider_instance: instance,
    feature,
    format,
    media_types: chosen.join(','),
    include_rewatches: hasRewatches,
  }
  const sample = useRead(
    ['export', 'sample'],
    'GET /api/export/sample',
    { query: { ...input, limit: 5 } },
    { enabled: chosen.length > 0 && format !== '', keepPrevious: true },
  )
  const save = useMutation<void, ApiError>({
    mutationFn: () =>
      download('/api/export/file', {
        body: { ...input, media_types: chosen },
        fileName: `playhead-${feature}.${options.capabilities[format]?.extension ?? 'txt'}`,
      }),
  })
  const profiles = options.instances[provider] ?? []
  return (
    <Stack gap="lg">
      <Paper withBorder p="md">
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Select
              label={texts.account}
              data={options.providers.map((id) => ({ value: id, label: options.provider_labels[id] ?? id }))}
              value={provider}
              onChange={(next) => {
                setProvider(next ?? provider)
                setInstance(ALL)
              }}
              allowDeselect={false}
              leftSection={<ServiceMark provider={provider} />}
            />
            {profiles.length > 1 ? (
              <Select
                label={texts.all}
                data={[{ value: ALL, label: texts.all }, ...profiles.map(({ id, label }) => ({ value: id, label }))]}
                value={instance}
                onChange={(next) => setInstance(next ?? ALL)}
                allowDeselect={false}
              />
            ) : null}
            <Select
              label={texts.feature}
              data={Object.keys(options.formats).map((value) => ({
                value,
                label: (texts.features as Readonly<Record<string, string>>)[value] ?? value,
              }))}
              value={feature}
              onChange={(next) => setFeature(next ?? feature)}
              allowDeselect={false}
            />
            <Select
              label={texts.format}
              data={usable.map((id) => ({ value: id, label: options.labels[id] ?? id }))}
              value={format}
              onChange={(next) => setFormat(next ?? format)}
              allowDeselect={false}
            />
          </SimpleGrid>
          <Checkbox.Group label={texts.types} value={[...types]} onChange={setTypes}>
            <Group mt="xs">
              {able.map((type) => (
                <Checkbox
                  key={type}
                  value={type}
                  label={(texts.typeNames as Readonly<Record<string, string>>)[type] ?? type}
                />
              ))}
            </Group>
          </Checkbox.Group>
          {options.rewatches[provider] === true && feature === 'history' ? (
            <Checkbox
              label={texts.rewatches}
              checked={hasRewatches}
              onChange={(event) => setRewatches(event.currentTarget.checked)}
            />
          ) : null}
          <Group>
            <Button
              leftSection={<IconDownload size={16} aria-hidden />}
              loading={save.isPending}
              disabled={sample.data === undefined || sample.data.total === 0}
              onClick={() => save.mutate()}
            >
              {texts.download}
            </Button>
            {sample.data === undefined ? null : (
              <Text size="sm" c="dimmed" role="status">
                {say(texts.summary, { n: sample.data.total, size: kilobytes.format(sample.data.size_bytes / KILO) })}
              </Text>
            )}
          </Group>
          {save.error === null ? null : <Failure error={save.error} />}
        </Stack>
      </Paper>
      <QueryView query={sample}>
        {({ preview_csv: preview, dropped_total: dropped, warnings }) => (
          <Stack gap="sm" component="section" aria-label={texts.preview}>
            {dropped === 0 ? null : (
              <Alert color="orange" title={say(texts.leftOut, { n: dropped })}>
                {warnings.map((warning) => (
                  <Text key={warning} size="sm">
                    {warning}
                  </Text>
                ))}
              </Alert>
            )}
            <Title order={2} size="h4">
              {texts.preview}
            </Title>
            <Code block tabIndex={0} aria-label={texts.preview}>
              {preview}
            </Code>
          </Stack>
        )}
      </QueryView>
    </Stack>
  )
}
