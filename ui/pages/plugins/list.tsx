// All plugins with their status.
import {
  ActionIcon,
  Alert,
  Anchor,
  Button,
  Group,
  List,
  Menu,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import {
  IconDots,
  IconPlayerPlay,
  IconPlayerStop,
  IconPlus,
  IconPuzzle,
  IconPuzzleOff,
  IconRefresh,
  IconSearch,
} from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { foldText } from '../../../sdk/items/text.ts'
import { useChange, useRead } from '../../api/query.ts'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { useAddressDialog } from '../../parts/page/address-dialog.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { usePlugins, type PluginSummary } from '../../parts/plugins/use-plugins.ts'
import { directory } from '../../texts/en/directory.ts'
import { plugins } from '../../texts/en/plugins.ts'
import { shell } from '../../texts/en/shell.ts'
import { say } from '../../texts/say.ts'
import { AddDialog } from './add-dialog.tsx'
import { DIRECTORY, listingHref } from './directory/data.ts'
import { PACKAGES } from './origin.tsx'
import { ReviewDialog, reviewOf, type Reviewed } from './review.tsx'
import { kindText, needsAttention, StateBadge } from './state.tsx'
import { usePluginActions } from './use-actions.tsx'
import { serviceText } from '../../texts/service-text.ts'

type Shown = keyof typeof plugins.shown

const FITS: Readonly<Record<Shown, (plugin: PluginSummary) => boolean>> = {
  // A built-in plugin that fails is as much in sight as an added one.
  added: (plugin) => plugin.origin === 'user' || needsAttention(plugin),
  builtIn: ({ origin }) => origin === 'bundled',
  attention: needsAttention,
  off: ({ enabled }) => !enabled,
}

const COLUMNS: readonly Column<PluginSummary>[] = [
  {
    id: 'name',
    header: plugins.columns.name,
    width: '3fr',
    isTitle: true,
    sortValue: ({ name }) => name,
    cell: ({ id, name, description }) => (
      <Stack gap={0} py="xs">
        <Anchor component={Link} href={`/plugins/${encodeURIComponent(id)}`} fw={600} underline="hover">
          {name}
        </Anchor>
        {description === '' ? null : (
          <Text size="sm" c="dimmed" lineClamp={2}>
            {serviceText(description)}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    id: 'kind',
    header: plugins.columns.kind,
    width: '7rem',
    sortValue: ({ kind }) => kindText(kind),
    cell: ({ kind }) => kindText(kind),
  },
  { id: 'version', isBare: true, header: plugins.columns.version, width: '5rem', cell: ({ version }) => version },
  {
    id: 'state',
    header: plugins.columns.state,
    width: '13rem',
    sortValue: (plugin) => `${needsAttention(plugin) ? 0 : 1}${plugin.state}`,
    cell: (plugin) => <StateBadge plugin={plugin} />,
  },
  {
    id: 'actions',
    isControl: true,
    header: plugins.columns.actions,
    width: '4.5rem',
    cell: (plugin) => <Actions plugin={plugin} />,
  },
]

interface Filters {
  readonly text: string
  readonly shown: Shown
}

const NO_FILTERS: Filters = { text: '', shown: 'added' }
const KNOWN = { shown: Object.keys(plugins.shown) }

export function PluginList() {
  const query = usePlugins()
  const [, navigate] = useLocation()
  // Of a press, and of a link, which a reload opens again.
  const [isAdding, setAdding] = useState(false)
  const adding = useAddressDialog('add')
  const [filters, setFilters] = useAddressFilters<Filters>(NO_FILTERS, KNOWN)
  const { text: search, shown } = filters
  const rescan = useChange('POST /api/plugins/rescan', {
    refresh: [['plugins']],
    onDone: ({ added, plugins: all }) =>
      notifyDone(
        added.length === 0
          ? say(plugins.rescanned, { n: all.length })
          : say(plugins.foundNew, {
              n: added.length,
              names: added.map((id) => all.find((one) => one.id === id)?.name ?? id).join(', '),
            }),
      ),
  })
  const all = query.data?.plugins
  const rows = useMemo(() => {
    const text = foldText(search).trim()
    return (all ?? [])
      .filter(
        (plugin) =>
          // A search in the first view finds built-in plugins, too.
          ((shown === NO_FILTERS.shown && text !== '') || FITS[shown](plugin)) &&
          foldText(`${plugin.name} ${plugin.id} ${serviceText(plugin.description)}`).includes(text),
      )
      .toSorted((a, b) => Number(needsAttention(b)) - Number(needsAttention(a)) || a.name.localeCompare(b.name))
  }, [all, search, shown])
  const hasNone = shown === 'added' && search === ''

  function closeAdding() {
    setAdding(false)
    if (adding.isOpen) adding.close()
  }

  return (
    <Page
      title={shell.pages.plugins}
      text={plugins.intro}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={rescan.isPending}
            onClick={() => rescan.mutate({ body: {} }, { onError: (error) => notifyFailure(error) })}
          >
            {plugins.rescan}
          </Button>
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
            {plugins.add.button}
          </Button>
        </>
      }
    >
      <Waiting />
      <News />
      {isAdding || adding.isOpen ? <AddDialog onClose={closeAdding} /> : null}
      <QueryView
        query={query}
        rows={8}
        isEmpty={(data) => data.plugins.length === 0}
        empty={<EmptyState icon={IconPuzzle} title={plugins.empty} text={plugins.emptyText} />}
      >
        {({ safe_mode: isSafe, problems }) => (
          <>
            {isSafe ? <Alert color="yellow">{plugins.safe}</Alert> : null}
            {problems.length === 0 ? null : (
              <Alert color="orange" title={plugins.problems}>
                <List size="sm">
                  {problems.map(({ message }) => (
                    <List.Item key={message}>{message}</List.Item>
                  ))}
                </List>
              </Alert>
            )}
            <Group gap="sm">
              <TextInput
                type="search"
                aria-label={plugins.search}
                placeholder={plugins.search}
                leftSection={<IconSearch size={16} aria-hidden />}
                value={search}
                onChange={(event) => setFilters({ ...filters, text: event.currentTarget.value })}
                style={{ flex: '1 1 14rem', maxWidth: '24rem' }}
              />
              <SegmentedControl
                aria-label={plugins.show}
                value={shown}
                onChange={(value) => setFilters({ ...filters, shown: value as Shown })}
                data={(Object.keys(plugins.shown) as Shown[]).map((value) => ({ value, label: plugins.shown[value] }))}
              />
            </Group>
            {rows.length === 0 ? (
              <EmptyState
                icon={hasNone ? IconPuzzle : IconPuzzleOff}
                title={hasNone ? plugins.noneAdded : plugins.none}
                text={hasNone ? plugins.noneAddedText : plugins.noneText}
                action={
                  hasNone ? (
                    <Button
                      component={Link}
                      href="/plugin-directory"
                      leftSection={<IconPuzzle size={16} aria-hidden />}
                    >
                      {directory.open}
                    </Button>
                  ) : (
                    <Button variant="default" onClick={() => setFilters({ text: '', shown: 'builtIn' })}>
                      {plugins.showAll}
                    </Button>
                  )
                }
              />
            ) : (
              <DataTable
                label={plugins.table}
                columns={COLUMNS}
                rows={rows}
                rowKey={({ id }) => id}
                height="calc(100vh - 18rem)"
                onOpen={({ id }) => navigate(`/plugins/${encodeURIComponent(id)}`)}
              />
            )}
          </>
        )}
      </QueryView>
    </Page>
  )
}

/** Added plugins with a newer version in the directory, or whose version was withdrawn. */
function News() {
  const query = useRead(DIRECTORY, 'GET /api/directory')
  const news = (query.data?.plugins ?? []).filter(({ state }) => state === 'update' || state === 'withdrawn')
  return news.map(({ id, name, version, newest, withdrawn }) => (
    <Alert
      key={id}
      color={withdrawn === null ? 'blue' : 'orange'}
      title={
        withdrawn === null
          ? say(directory.news, { name, version: newest?.version ?? '' })
          : say(directory.newsWithdrawn, { name, version: version ?? '' })
      }
    >
      <Button component={Link} href={listingHref(id)} size="xs" variant="default">
        {directory.open}
      </Button>
    </Alert>
  ))
}

/** Versions that were fetched and not reviewed yet. */
function Waiting() {
  const query = useRead(PACKAGES, 'GET /api/plugin-packages')
  const [reviewed, setReviewed] = useState<Reviewed | null>(null)
  const waiting = (query.data?.packages ?? []).flatMap((one) => reviewOf(one) ?? [])
  return (
    <>
      {waiting.map((one) => (
        <Alert key={one.id} color="yellow" title={say(plugins.waiting, { name: one.name, version: one.version })}>
          <Button size="xs" variant="default" onClick={() => setReviewed(one)}>
            {plugins.origin.review}
          </Button>
        </Alert>
      ))}
      {reviewed === null ? null : <ReviewDialog reviewed={reviewed} onClose={() => setReviewed(null)} />}
    </>
  )
}

const ICONS = { reload: IconRefresh, enable: IconPlayerPlay, disable: IconPlayerStop } as const

function Actions({ plugin }: { readonly plugin: PluginSummary }) {
  const { run, running, possible } = usePluginActions(plugin)
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={say(plugins.actionsOf, { name: plugin.name })}
          loading={running !== null}
        >
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {possible.map((action) => {
          const Icon = ICONS[action]
          return (
            <Menu.Item key={action} leftSection={<Icon size={16} aria-hidden />} onClick={() => void run(action)}>
              {plugins[action]}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
