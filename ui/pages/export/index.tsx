// The export: account, features, format, a preview of the file, and the download.
import {
  Alert,
  Button,
  Checkbox,
  Code,
  Group,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { IconDownload, IconFileExport, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { download } from '../../api/download.ts'
import type { ApiError } from '../../api/error.ts'
import { useRead } from '../../api/query.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { NextStep } from '../../parts/page/next-step.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Fold } from '../../parts/page/fold.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { RunProgress } from '../../parts/runs/run-progress.tsx'
import { timeZone } from '../../parts/titles/ask-again.ts'
import { Thumb } from '../../parts/titles/thumb.tsx'
import { Mark, ServiceMark, serviceOption } from '../../parts/values/service-mark.tsx'
import { exporting as texts } from '../../texts/en/export.ts'
import { locale } from '../../texts/language.ts'
import { shell } from '../../texts/en/shell.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'

type Options = Answer<'GET /api/export/options'>
const ALL = 'all'
const KILO = 1_000
const ROWS = 25
const TYPING_MS = 300
const ZONES = Intl.supportedValuesOf('timeZone').map(zoneOption)
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const kilobytes = new Intl.NumberFormat(locale, { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 1 })

export default function Export() {
  const query = useRead(['export'], 'GET /api/export/options')
  return (
    <Page title={shell.pages.export} text={texts.intro}>
      <QueryView
        query={query}
        isEmpty={({ providers }) => providers.length === 0}
        empty={
          <EmptyState icon={IconFileExport} title={texts.none.title} text={texts.none.text} action={<NextStep />} />
        }
      >
        {(options) => <Form options={options} />}
      </QueryView>
    </Page>
  )
}

function Form({ options }: { readonly options: Options }) {
  const [provider, setProvider] = useState(() => largest(options))
  const [instance, setInstance] = useState(ALL)
  const [feature, setFeature] = useState('history')
  const usable = options.formats[feature] ?? []
  const [wantedFormat, setFormat] = useState('json')
  const format = usable.includes(wantedFormat) ? wantedFormat : (usable[0] ?? '')
  const able = options.capabilities[format]?.media_types ?? []
  const [types, setTypes] = useState<readonly string[]>(['movie', 'show', 'season', 'episode'])
  const chosen = types.filter((type) => able.includes(type))
  const [hasRewatches, setRewatches] = useState(true)
  const [hasDates, setDates] = useState(true)
  const [isSheet, setSheet] = useState(false)
  const [zone, setZone] = useState(options.time_zone === '' ? timeZone : options.time_zone)
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), TYPING_MS)
  const [bytes, setBytes] = useState(0)
  const nameOf = (id: string) => serviceText(options.labels[id] ?? id)
  const capability = options.capabilities[format]
  const limit = capability?.max_bytes ?? null
  const input = {
    provider,
    provider_instance: instance,
    feature,
    format,
    media_types: chosen.join(','),
    include_rewatches: hasRewatches,
    include_watched_date: hasDates,
    tz: zone,
    ...(isSheet && isTable(capability?.extension) ? { spreadsheet: true } : {}),
    ...(q === '' ? {} : { q }),
  }
  const sample = useRead(
    ['export', 'sample'],
    'GET /api/export/sample',
    { query: { ...input, limit: ROWS } },
    { enabled: chosen.length > 0 && format !== '', keepPrevious: true },
  )
  const size = sample.data?.size_bytes ?? 0
  const isLarge = limit !== null && size > limit
  const [isSplit, setSplit] = useState(true)
  const save = useMutation<void, ApiError>({
    mutationFn: () => {
      setBytes(0)
      return download('/api/export/file', {
        body: { ...input, media_types: chosen, ...(isLarge && isSplit ? { split: true } : {}) },
        fileName: `playhead-${feature}.${capability?.extension ?? 'txt'}`,
        onBytes: setBytes,
      })
    },
    onSuccess: () => notifyDone(say(texts.done, { name: nameOf(format) })),
  })
  const countOf = (one: string) =>
    (options.counts[provider] as Readonly<Record<string, number>> | undefined)?.[one] ?? null
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
              renderOption={serviceOption}
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
              data={Object.keys(options.formats).map((value) => {
                const name = (texts.features as Readonly<Record<string, string>>)[value] ?? value
                const n = countOf(value)
                return { value, label: n === null ? name : say(texts.counts, { name, n }) }
              })}
              value={feature}
              onChange={(next) => setFeature(next ?? feature)}
              allowDeselect={false}
            />
            <Select
              label={texts.format}
              data={usable.map((value) => ({ value, label: nameOf(value) }))}
              value={format}
              onChange={(next) => setFormat(next ?? format)}
              allowDeselect={false}
              leftSection={<Mark mark={options.marks[format]} name={nameOf(format)} />}
              renderOption={({ option: { value, label } }) => (
                <Group gap="xs" wrap="nowrap">
                  <Mark mark={options.marks[value]} name={label} size={18} />
                  {label}
                </Group>
              )}
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
          <Select
            label={texts.zone}
            description={texts.zoneText}
            data={ZONES.some(({ value }) => value === zone) ? ZONES : [zoneOption(zone), ...ZONES]}
            value={zone}
            onChange={(next) => setZone(next ?? zone)}
            searchable
            allowDeselect={false}
            maw={360}
          />
          <TextInput
            type="search"
            label={texts.search}
            leftSection={<IconSearch size={16} aria-hidden />}
            value={text}
            maxLength={200}
            maw={360}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          {sample.data?.dates_optional === true ? (
            <Checkbox
              label={texts.dates}
              checked={hasDates}
              onChange={(event) => setDates(event.currentTarget.checked)}
            />
          ) : null}
          {isTable(capability?.extension) ? (
            <Checkbox
              label={texts.spreadsheet}
              description={texts.spreadsheetText}
              checked={isSheet}
              onChange={(event) => setSheet(event.currentTarget.checked)}
            />
          ) : null}
          {isLarge ? (
            <Checkbox
              label={texts.split}
              description={texts.splitText}
              checked={isSplit}
              onChange={(event) => setSplit(event.currentTarget.checked)}
            />
          ) : null}
          {save.isPending ? (
            <RunProgress label={texts.downloading} done={Math.min(bytes, size)} total={size === 0 ? null : size} />
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
        {({ preview_csv: preview, dropped_total: dropped, warnings, items }) => (
          <Stack gap="sm" component="section" aria-label={texts.preview}>
            {dropped === 0 ? null : (
              <Alert color="orange" title={say(texts.leftOut, { n: dropped })}>
                {warnings.map((warning) => (
                  <Text key={warning} size="sm">
                    {serviceText(warning)}
                  </Text>
                ))}
              </Alert>
            )}
            <Title order={2} size="h4">
              {texts.preview}
            </Title>
            {items.length === 0 ? null : (
              <DataTable label={texts.rows} columns={COLUMNS} rows={items} rowKey={({ key }) => key} height={320} />
            )}
            <Fold title={texts.file} isOpen={capability?.extension !== 'json'}>
              <Code block tabIndex={0} aria-label={texts.file}>
                {preview}
              </Code>
            </Fold>
          </Stack>
        )}
      </QueryView>
    </Stack>
  )
}

function zoneOption(value: string) {
  return { value, label: value.replaceAll('_', ' ') }
}

type Row = Answer<'GET /api/export/sample'>['items'][number]

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'title',
    header: texts.columns.title,
    width: '2.5fr',
    isTitle: true,
    cell: ({ key, title }) => (
      <Group gap="xs" wrap="nowrap">
        <Thumb itemKey={key} title={title} />
        <Text size="sm" truncate title={title} dir="auto">
          {title}
        </Text>
      </Group>
    ),
  },
  { id: 'year', header: texts.columns.year, width: '5rem', cell: ({ year }) => <Text size="sm">{year ?? ''}</Text> },
  {
    id: 'type',
    header: texts.columns.type,
    width: '7rem',
    cell: ({ type }) => <Text size="sm">{(texts.typeName as Readonly<Record<string, string>>)[type] ?? type}</Text>,
  },
  {
    id: 'at',
    isBare: true,
    header: texts.columns.at,
    width: '9rem',
    cell: ({ watched_at: at }) =>
      at === '' ? null : (
        <Text size="sm" truncate title={at}>
          {Number.isFinite(Date.parse(at)) ? day.format(Date.parse(at)) : at}
        </Text>
      ),
  },
  {
    id: 'rating',
    isBare: true,
    header: texts.columns.rating,
    width: '6rem',
    cell: ({ rating }) => <Text size="sm">{rating ?? ''}</Text>,
  },
]

/** The account with the longest history. */
function largest({ providers, counts }: Options): string {
  return providers.toSorted((a, b) => (counts[b]?.history ?? 0) - (counts[a]?.history ?? 0))[0] as string
}

/** Formats that a spreadsheet opens. */
function isTable(extension: string | undefined): boolean {
  return extension === 'csv' || extension === 'tsv'
}
