// The ratings audit: ratings that differ, precede the release, are zero, or are missing elsewhere.
import { Group, Stack, Text } from '@mantine/core'
import { ChoiceChips } from '../../../parts/lists/choice-chips.tsx'
import { useMemo, useState } from 'react'
import { useRead } from '../../../api/query.ts'
import { DataTable, type Column } from '../../../parts/lists/data-table.tsx'
import { QueryView } from '../../../parts/page/query-view.tsx'
import { analyzer } from '../../../texts/en/analyzer.ts'
import { locale } from '../../../texts/language.ts'
import { say } from '../../../texts/say.ts'
import { useAccountName, type ProblemsQuery } from './finding.ts'

const { ratings: texts } = analyzer
const KINDS = ['conflicts', 'rated_before_release', 'invalid', 'missing'] as const
type KindName = (typeof KINDS)[number]
const list = new Intl.ListFormat(locale, { type: 'conjunction' })
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const HEIGHT = 'max(22rem, calc(100dvh - 18rem))'

interface Audited {
  readonly id: string
  readonly title: string
  readonly what: string
}

export function Ratings({ query }: { readonly query: ProblemsQuery }) {
  const audit = useRead(['analyzer', 'ratings'], 'GET /api/analyzer/ratings-audit', {
    query: query.pairs === undefined ? {} : { pairs: query.pairs },
  })
  const [kind, setKind] = useState<KindName>('conflicts')
  const accountName = useAccountName()
  const { data } = audit
  const rows = useMemo(
    () => (data?.[kind] ?? []).map((one, index) => toRow(one, index, accountName)),
    [data, kind, accountName],
  )
  return (
    <QueryView query={audit} rows={6}>
      {({ summary, pending_metadata: pending }) => (
        <Stack gap="sm">
          <Group gap="sm">
            <Text size="sm" fw={600}>
              {texts.summary.rated} {say('{n}', { n: summary['rated'] ?? 0 })}
            </Text>
            <ChoiceChips
              label={texts.label}
              options={KINDS.map((one) => ({
                value: one,
                label: `${texts.summary[one]} ${say('{n}', { n: summary[one] ?? 0 })}`,
              }))}
              value={kind}
              onChange={setKind}
            />
          </Group>
          {pending === 0 ? null : (
            <Text size="sm" c="dimmed">
              {say(texts.pending, { n: pending })}
            </Text>
          )}
          {rows.length === 0 ? (
            <Text c="dimmed" role="status">
              {texts.empty}
            </Text>
          ) : (
            <DataTable label={texts.label} columns={COLUMNS} rows={rows} rowKey={({ id }) => id} height={HEIGHT} />
          )}
        </Stack>
      )}
    </QueryView>
  )
}

const COLUMNS: readonly Column<Audited>[] = [
  {
    id: 'title',
    header: texts.columns.title,
    width: 'minmax(0, 1.4fr)',
    isTitle: true,
    cell: ({ title }) => (
      <Text size="sm" fw={600} truncate title={title} dir="auto">
        {title}
      </Text>
    ),
  },
  {
    id: 'what',
    header: texts.columns.what,
    width: 'minmax(0, 2fr)',
    cell: ({ what }) => (
      <Text size="sm" truncate title={what}>
        {what}
      </Text>
    ),
  },
]

function toRow(one: Readonly<Record<string, unknown>>, index: number, accountName: (name: string) => string): Audited {
  const { key, keys, title, year, provider, values, targets, rated_at: rated, release, rating } = one
  const name = [title ?? key ?? (Array.isArray(keys) ? (keys as unknown[])[0] : ''), year]
    .filter((part) => part != null)
    .join(' · ')
  const at = (text: unknown) => DAY.format(Date.parse(String(text)))
  let what = ''
  if (values !== undefined)
    what = Object.entries(values as Readonly<Record<string, { readonly rating: number | null }>>)
      .map(([account, value]) =>
        say(texts.value, {
          account: accountName(account),
          rating: value.rating === null ? texts.unrated : String(value.rating),
        }),
      )
      .join(', ')
  else if (release !== undefined) what = say(texts.before, { at: at(rated), release: at(release) })
  else if (Array.isArray(targets))
    what = say(texts.notIn, { accounts: list.format((targets as string[]).map(accountName)) })
  else what = String(rating ?? texts.unrated)
  const of = typeof provider === 'string' ? `${accountName(provider)} · ` : ''
  return { id: String(index), title: name, what: `${of}${what}` }
}
