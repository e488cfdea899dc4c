// One finding: its meaning, its cause and the possible corrections.
import { Alert, Button, Drawer, Group, List, Menu, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { IconChevronDown, IconEyeOff, IconTool, IconWand } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '../../../api/client.ts'
import { useChange, useRead } from '../../../api/query.ts'
import { confirm } from '../../../parts/dialogs/confirm.ts'
import { notifyDone } from '../../../parts/dialogs/notify.ts'
import { acrossPersons } from '../../../parts/persons/persons.ts'
import { Facts } from '../../../parts/lists/facts.tsx'
import { Failure } from '../../../parts/page/failure.tsx'
import { Loading } from '../../../parts/page/loading.tsx'
import { featureName } from '../../../parts/values/names.ts'
import { StatusBadge } from '../../../parts/values/status-badge.tsx'
import { exactTime } from '../../../parts/values/time-text.tsx'
import { analyzer } from '../../../texts/en/analyzer.ts'
import { locale } from '../../../texts/language.ts'
import { say } from '../../../texts/say.ts'
import {
  titleOf,
  TONES,
  useAccountName,
  type AnalyzedFeature,
  type Finding,
  type Kind,
  type ProblemsQuery,
} from './finding.ts'
import { Choices } from './choices.tsx'
import { Suggestions } from './suggestions.tsx'
import { serviceText } from '../../../texts/service-text.ts'
import type { Row } from './finding.ts'

const { detail: texts } = analyzer
const list = new Intl.ListFormat(locale, { type: 'conjunction' })
/** Fields that are listed per account. */
const BY_ACCOUNT = ['watched_at', 'ratings', 'values', 'rated_at'] as const
const SHOWN = 10

interface DetailProps {
  readonly finding: Finding
  readonly kind: Kind
  readonly query: ProblemsQuery
  readonly onClose: () => void
}

export function Detail({ finding, kind, query, onClose }: DetailProps) {
  const accountName = useAccountName()
  const { provider, feature, key } = finding
  const isItem = provider !== null && feature !== null && key !== undefined
  // The default profile has only the name of its service, which would be ambiguous.
  const account = provider?.includes('@') === false ? `${provider}@default` : (provider ?? '')
  const row = isItem ? { provider: account, feature: feature as AnalyzedFeature, key } : null
  const ids = Object.entries((finding['ids'] ?? {}) as Readonly<Record<string, string>>)
  const targets = (finding['targets'] ??
    (finding['target'] === undefined ? [] : [finding['target']])) as readonly string[]
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title={kind.label}>
      <Stack>
        <div>
          <Title order={2} size="h4" dir="auto" style={{ overflowWrap: 'anywhere' }}>
            {titleOf(finding)}
          </Title>
          <Group gap="xs" mt="2xs">
            <StatusBadge tone={TONES[finding.severity]} label={analyzer.severity[finding.severity]} />
          </Group>
        </div>
        <Text>{finding.message !== '' ? serviceText(finding.message) : kind.meaning}</Text>
        {kind.meaning === '' || kind.meaning === serviceText(finding.message) ? null : (
          <Text size="sm" c="dimmed">
            {kind.meaning}
          </Text>
        )}
        <Facts
          facts={[
            [texts.account, accountName(provider)],
            [texts.feature, feature === null ? null : featureName(feature)],
            [texts.missingAt, targets.length === 0 ? null : list.format(targets.map(accountName))],
            [texts.year, finding['year'] == null ? null : String(finding['year'])],
            [texts.ids, ids.map(([scheme, id]) => `${scheme} ${id}`).join(' · ')],
            [texts.key, key ?? null],
          ]}
        />
        {finding.choices === undefined ? <Values finding={finding} /> : null}
        {finding.choices === undefined || row === null ? null : (
          <Choices finding={finding} row={row} query={query} onClose={onClose} />
        )}
        <Examples finding={finding} />
        {row === null ? null : <Why row={row} query={query} />}
        <Actions finding={finding} kind={kind} row={row} query={query} onClose={onClose} />
        {row === null ? null : <Suggestions row={row} query={query} onDone={onClose} />}
      </Stack>
    </Drawer>
  )
}

/** The values of the accounts, for findings that compare. */
function Values({ finding }: { readonly finding: Finding }) {
  const accountName = useAccountName()
  const found = BY_ACCOUNT.map((name) => finding[name]).find(
    (value): value is Readonly<Record<string, unknown>> =>
      typeof value === 'object' && value !== null && !Array.isArray(value),
  )
  if (found === undefined) return null
  return (
    <div>
      <Text size="sm" fw={600}>
        {texts.values}
      </Text>
      <Facts
        facts={Object.entries(found).map(([account, value]) => [accountName(account), valueText(value)] as const)}
      />
    </div>
  )
}

function valueText(value: unknown): string {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return exactTime(Date.parse(value))
  if (typeof value === 'object' && value !== null)
    return Object.values(value)
      .filter((one) => one !== null)
      .map(valueText)
      .join(', ')
  return String(value)
}

/** Example items of a finding about a service. */
function Examples({ finding }: { readonly finding: Finding }) {
  const items = (finding['affected_items'] ?? []) as readonly {
    readonly key: string
    readonly label?: string
    readonly reason_message?: string
  }[]
  if (items.length === 0) return null
  return (
    <div>
      <Text size="sm" fw={600}>
        {texts.items}
      </Text>
      <List size="sm">
        {items.slice(0, SHOWN).map(({ key, label, reason_message: reason }) => (
          <List.Item key={key} dir="auto">
            {label ?? key}
            {reason === undefined ? '' : ` – ${reason}`}
          </List.Item>
        ))}
      </List>
    </div>
  )
}

function Why({ row, query }: { readonly row: Row; readonly query: ProblemsQuery }) {
  const accountName = useAccountName()
  const detail = useRead(['analyzer', 'detail'], 'GET /api/analyzer/detail', { query: { ...row, pairs: query.pairs } })
  if (detail.error !== null) return <Failure error={detail.error} onRetry={() => void detail.refetch()} />
  if (detail.data === undefined) return <Loading rows={2} />
  const { hints, target_show_info: shows } = detail.data
  const lines = [
    ...hints.map(({ provider, message }) => `${accountName(provider)}: ${message}`),
    ...shows.map(({ target, message }) => `${accountName(target)}: ${message}`),
  ]
  return (
    <div>
      <Text size="sm" fw={600}>
        {texts.hints}
      </Text>
      {lines.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.noHints}
        </Text>
      ) : (
        <List size="sm">
          {[...new Set(lines)].map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      )}
    </div>
  )
}

interface ActionsProps {
  readonly finding: Finding
  readonly kind: Kind
  readonly row: Row | null
  readonly query: ProblemsQuery
  readonly onClose: () => void
}

function Actions({ finding, kind, row, query, onClose }: ActionsProps) {
  const client = useQueryClient()
  const accountName = useAccountName()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [nothing, setNothing] = useState(false)
  const { type, provider, feature, key } = finding
  const hide = useChange('POST /api/analyzer/exclusions', {
    refresh: [['analyzer'], ['attention'], ['problems']],
    onDone: () => {
      notifyDone(texts.hiddenDone)
      onClose()
    },
  })

  /** Previewed first; a change of an account goes through a library plan. */
  async function fix() {
    if (row === null) return
    setBusy(true)
    setError(null)
    try {
      const { ids, fix_with: fields } = finding as { readonly ids?: unknown; readonly fix_with?: object }
      const input = { query, body: { ...fields, ...row, type, ...(ids === undefined ? {} : { item: { ids } }) } }
      const would = await api('POST /api/analyzer/fix', { ...input, body: { ...input.body, dry_run: true } } as never)
      const { changes = [], plan } = would as {
        readonly changes?: readonly string[]
        readonly plan?: { readonly provider: string; readonly instance: string } | null
      }
      if (changes.length === 0) return setNothing(true)
      const text =
        plan == null ? texts.local : say(texts.plan, { account: accountName(`${plan.provider}@${plan.instance}`) })
      const touches = [...changes]
      if (!(await confirm({ title: texts.fixTitle, text, touches, action: texts.fixGo, destructive: false }))) return
      const fixed = await acrossPersons((confirmed) =>
        api('POST /api/analyzer/fix', { ...input, body: { ...input.body, changes, ...confirmed } } as never),
      )
      if (fixed === undefined) return
      notifyDone(texts.fixed)
      onClose()
      await Promise.all([['analyzer'], ['problems']].map((queryKey) => client.invalidateQueries({ queryKey })))
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      {error === null ? null : <Failure error={error} />}
      {hide.error === null ? null : <Failure error={hide.error} />}
      {nothing ? <Alert role="status">{texts.fixNothing}</Alert> : null}
      {kind.fix === null || finding.fixable !== true ? null : (
        <Text size="sm" c="dimmed">
          {kind.fix}
        </Text>
      )}
      <Group gap="xs">
        {row !== null && finding.fixable === true && finding.choices === undefined ? (
          <Button leftSection={<IconTool size={16} aria-hidden />} loading={isBusy} onClick={() => void fix()}>
            {texts.fix}
          </Button>
        ) : null}
        <Menu position="bottom-start">
          <Menu.Target>
            <Button
              variant="default"
              leftSection={<IconEyeOff size={16} aria-hidden />}
              rightSection={<IconChevronDown size={14} aria-hidden />}
              loading={hide.isPending}
            >
              {texts.hide}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {row === null ? null : (
              <Menu.Item onClick={() => hide.mutate({ body: { type, ...row, provider: provider ?? row.provider } })}>
                {texts.hideOne}
              </Menu.Item>
            )}
            {provider === null ? null : (
              <Menu.Item onClick={() => hide.mutate({ body: { type, provider, feature: feature ?? undefined } })}>
                {say(texts.hideAccount, { account: accountName(provider) })}
              </Menu.Item>
            )}
            <Menu.Item
              leftSection={key === undefined ? <IconWand size={14} aria-hidden /> : undefined}
              onClick={() => hide.mutate({ body: { type } })}
            >
              {texts.hideKind}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
    </>
  )
}
