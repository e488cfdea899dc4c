// The mapped share of each account's anime, and the unmapped titles.
import { Button, Group, Progress, Stack, Text, Title } from '@mantine/core'
import { useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { useNames, type Names } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { anime } from '../../texts/en/anime.ts'
import { say } from '../../texts/say.ts'
import { RuleDialog } from './rule-dialog.tsx'
import { type Coverage, type Draft, FRESH, KEY, MATCHES, TARGETS, type Unmapped } from './state.ts'

const { coverage: texts, unmapped: left } = anime
const PAGE = 100
const idOf = ({ provider, instance, feature, key }: Unmapped) => `${provider} ${instance} ${feature} ${key}`
type Account = Coverage['accounts'][number]

export function CoveragePart() {
  const names = useNames()
  const [draft, setDraft] = useState<Draft | null>(null)
  const query = useEndless({
    key: [...KEY, 'coverage'],
    size: PAGE,
    read: ({ offset }, signal) => api('GET /api/anime-mapping/coverage', { query: { offset, limit: PAGE }, signal }),
    rowsOf: ({ unmapped }) => unmapped,
    idOf,
    totalOf: ({ total }) => total,
  })
  const { first, rows = [] } = query
  const accountColumns = useMemo(() => accountColumnsOf(names), [names])
  const columns = useMemo(() => columnsOf(names, (one) => setDraft(draftOf(one))), [names])
  return (
    <Stack gap="sm" component="section" aria-label={texts.title}>
      <div>
        <Title order={2} size="h4">
          {texts.title}
        </Title>
        <Text size="sm" c="dimmed">
          {texts.text}
        </Text>
      </div>
      {query.error === null ? null : <Failure error={query.error} onRetry={query.retry} />}
      {first === undefined ? (
        query.error === null ? (
          <Loading rows={4} />
        ) : null
      ) : first.accounts.length === 0 ? (
        <Text c="dimmed">{first.ready ? texts.none : texts.off}</Text>
      ) : (
        <>
          <DataTable
            label={texts.label}
            columns={accountColumns}
            rows={first.accounts}
            rowKey={({ provider, instance, feature }) => `${provider} ${instance} ${feature}`}
            height={420}
          />
          <div>
            <Title order={3} size="h5">
              {left.title}
            </Title>
            <Text size="sm" c="dimmed" role="status">
              {first.total === 0 ? left.none : say(left.text, { n: first.total })}
            </Text>
          </div>
          {rows.length === 0 ? null : (
            <DataTable
              label={left.label}
              columns={columns}
              rows={rows}
              rowKey={idOf}
              total={first.total}
              height={420}
              endless={query.list}
            />
          )}
        </>
      )}
      {draft === null ? null : <RuleDialog rule={draft} onClose={() => setDraft(null)} />}
    </Stack>
  )
}

/** Pre-fills a rule with the known facts of a title. */
function draftOf({ title, type, ids }: Unmapped): Draft {
  const target = TARGETS.find((scheme) => ids[scheme.toLowerCase()] !== undefined)
  const match = MATCHES.find((scheme) => !TARGETS.some((one) => one === scheme) && ids[scheme] !== undefined)
  return {
    ...FRESH,
    media_type: type,
    title,
    ...(match === undefined ? {} : { match_provider: match, match_id: ids[match] ?? '' }),
    ...(target === undefined ? {} : { target_namespace: target, target_id: ids[target.toLowerCase()] ?? '' }),
  }
}

function accountColumnsOf(names: Names): readonly Column<Account>[] {
  return [
    {
      id: 'account',
      header: texts.columns.account,
      width: '1.6fr',
      isTitle: true,
      cell: ({ provider, instance }) => (
        <Group gap="xs" wrap="nowrap">
          <ServiceMark provider={provider} />
          <Text size="sm" fw={600} truncate>
            {names.account(provider, instance)}
          </Text>
        </Group>
      ),
    },
    {
      id: 'feature',
      header: texts.columns.feature,
      width: '1fr',
      cell: ({ feature }) => <Text size="sm">{anime.settings.featureNames[feature]}</Text>,
    },
    {
      id: 'mapped',
      isBare: true,
      header: texts.columns.mapped,
      width: '2fr',
      cell: ({ mapped, anime: total }) => (
        <Stack gap="2xs">
          <Text size="xs">{say(texts.share, { mapped, total })}</Text>
          <Progress
            value={total === 0 ? 0 : (mapped / total) * 100}
            size="sm"
            aria-label={say(texts.share, { mapped, total })}
          />
        </Stack>
      ),
    },
    {
      id: 'left',
      isBare: true,
      header: texts.columns.left,
      width: '7rem',
      cell: ({ mapped, anime: total }) => <Text size="sm">{total - mapped}</Text>,
    },
  ]
}

function columnsOf(names: Names, onRule: (one: Unmapped) => void): readonly Column<Unmapped>[] {
  return [
    {
      id: 'title',
      header: left.columns.title,
      width: '2fr',
      isTitle: true,
      cell: ({ title, year }) => {
        const text = year === null ? title || left.untitled : `${title || left.untitled} (${year})`
        return (
          <Text size="sm" fw={600} truncate title={text} dir="auto">
            {text}
          </Text>
        )
      },
    },
    {
      id: 'account',
      header: left.columns.account,
      width: '1fr',
      cell: ({ provider, instance }) => (
        <Text size="sm" truncate>
          {names.account(provider, instance)}
        </Text>
      ),
    },
    {
      id: 'ids',
      header: left.columns.ids,
      width: '1.3fr',
      cell: ({ ids }) => {
        const text = Object.entries(ids)
          .map(([scheme, id]) => `${scheme} ${id}`)
          .join(' · ')
        return (
          <Text size="sm" c="dimmed" truncate title={text}>
            {text}
          </Text>
        )
      },
    },
    {
      id: 'why',
      header: left.columns.why,
      width: '1.5fr',
      cell: ({ reason }) => {
        const text = (anime.reasons as Readonly<Record<string, string>>)[reason] ?? reason
        return (
          <Text size="sm" truncate title={text}>
            {text}
          </Text>
        )
      },
    },
    {
      id: 'rule',
      isControl: true,
      header: '',
      width: '7rem',
      cell: (one) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={say(left.rule, { title: one.title || left.untitled })}
          onClick={() => onRule(one)}
        >
          {left.ruleShort}
        </Button>
      ),
    },
  ]
}
