// The editor: the rows of an account, or the items of a list.
import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { Link, useSearchParams } from 'wouter'
import { useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { useNamed, useNames } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { editor as texts } from '../../texts/en/editor.ts'
import { say } from '../../texts/say.ts'
import { AccountRows } from './account-rows.tsx'
import { ListRows } from './list-rows.tsx'
import { PolicyMenu } from './policy-menu.tsx'
import { type Kind, KINDS } from './state.ts'
import { StoppedTitles } from './stopped.tsx'

/** The tracker is edited directly and is listed first. */
const TRACKER = 'SVC'

export default function Editor() {
  const accounts = useNamed(useRead(['editor', 'accounts'], 'GET /api/editor/state/providers'))
  return (
    <Page title={texts.title} text={texts.intro} actions={<PolicyMenu />}>
      <QueryView
        query={accounts}
        rows={6}
        isEmpty={({ providers }) => providers.length === 0}
        empty={
          <EmptyState
            icon={IconPencil}
            title={texts.none.noAccount}
            text={texts.none.noAccountText}
            action={
              <Button component={Link} href="/connections">
                {texts.none.connect}
              </Button>
            }
          />
        }
      >
        {(known) => <Chooser known={known} />}
      </QueryView>
    </Page>
  )
}

type Known = Answer<'GET /api/editor/state/providers'>
interface Start {
  readonly account: string
  readonly kind: Kind
}

/** The accounts, with the tracker first. */
const accountsOf = ({ providers, instances }: Known) =>
  providers
    .toSorted((a, b) => Number(b === TRACKER) - Number(a === TRACKER))
    .flatMap((provider) =>
      (instances[provider] ?? ['default']).map((instance) => ({
        value: `${provider}@${instance}`,
        provider,
        instance,
      })),
    )
const kindsOf = ({ features }: Known, provider: string) => KINDS.filter((kind) => features[provider]?.[kind] === true)

/** The first account and feature with rows; null if no account has rows. */
function findRows(known: Known): Start | null {
  for (const { value: account, provider, instance } of accountsOf(known))
    for (const kind of kindsOf(known, provider))
      if ((known.rows[provider]?.[instance]?.[kind] ?? 0) > 0) return { account, kind }
  return null
}

function Chooser({ known }: { readonly known: Known }) {
  const names = useNames()
  const [search, setSearch] = useSearchParams()
  const listId = search.get('list')
  const [isOpen, setOpen] = useState(false)
  const { data: found } = useRead(['editor', 'lists'], 'GET /api/editor/playlists/endpoints', undefined, {
    enabled: isOpen || listId !== null,
  })
  const lists = found?.endpoints ?? []
  // Do not switch to another account when rows are added or removed.
  const [start] = useState(() => findRows(known))
  const all = accountsOf(known).map((one) => ({ ...one, label: names.account(one.provider, one.instance) }))
  const list = lists.find(({ id }) => id === listId)
  const account = all.find(({ value }) => value === (search.get('account') ?? start?.account)) ?? all[0]!
  const kinds = kindsOf(known, account.provider)
  const kind = kinds.find((one) => one === (search.get('what') ?? start?.kind)) ?? kinds[0] ?? 'watchlist'
  const select = (value: string | null) => {
    if (value === null) return
    setSearch(value.startsWith('list ') ? { list: value.slice('list '.length) } : { account: value, what: kind })
  }
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <Select
          label={texts.account}
          data={[
            { group: texts.accounts, items: all.map(({ value, label }) => ({ value, label })) },
            ...(lists.length === 0
              ? []
              : [
                  {
                    group: texts.lists,
                    items: lists.map(({ id, name, provider, instance }) => ({
                      value: `list ${id}`,
                      label: `${name} · ${names.account(provider, instance)}`,
                    })),
                  },
                ]),
          ]}
          value={list === undefined ? account.value : `list ${list.id}`}
          leftSection={<ServiceMark provider={list?.provider ?? account.provider} />}
          onChange={select}
          onDropdownOpen={() => setOpen(true)}
          allowDeselect={false}
          searchable
          style={{ flex: '1 1 14rem' }}
          maw={360}
        />
        {list === undefined ? (
          <Select
            label={texts.what}
            data={kinds.map((value) => ({ value, label: texts.kinds[value] }))}
            value={kind}
            onChange={(value) => setSearch({ account: account.value, what: value ?? kind })}
            allowDeselect={false}
            style={{ flex: '1 1 8rem' }}
            maw={200}
          />
        ) : null}
      </Group>
      {list === undefined ? (
        <>
          <Text size="sm" c="dimmed">
            {account.provider === TRACKER ? texts.about.tracker : say(texts.about.state, { service: account.label })}
          </Text>
          <AccountRows
            key={`${account.value} ${kind}`}
            place={{ type: 'account', provider: account.provider, instance: account.instance, kind }}
            isTracker={account.provider === TRACKER}
            name={account.label}
          />
          <StoppedTitles />
        </>
      ) : (
        <>
          <Text size="sm" c="dimmed">
            {say(texts.about.list, { service: names.account(list.provider, list.instance) })}
          </Text>
          <ListRows key={list.id} id={list.id} name={names.account(list.provider, list.instance)} />
        </>
      )}
    </Stack>
  )
}
