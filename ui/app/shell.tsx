// The frame of every page: navigation, connection state, colour scheme, account menu.
import {
  ActionIcon,
  Alert,
  AppShell,
  Box,
  Group,
  NavLink,
  Text,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconMenu2, IconSearch, IconUser } from '@tabler/icons-react'
import { memo, useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { useChanges } from '../api/changes.ts'
import { useConnection } from '../api/connection.ts'
import { Brand } from '../parts/page/brand.tsx'
import { shell } from '../texts/en/shell.ts'
import { LazyMenu } from '../parts/page/lazy-menu.tsx'
import { lazyPart } from '../parts/page/lazy-part.ts'
import { scrollInside } from '../parts/page/scroll-inside.ts'
import { DoorFrame } from './door-frame.tsx'
import { Installed } from './installed.tsx'
import { doorAt, NAVIGATION, QUICK_DOORS, type Door } from './navigation.ts'
import { usePluginPages } from './plugin-pages.ts'
import { SCHEMES } from './scheme-icons.ts'
import { useSession } from './session-state.ts'
import { openSearch, Search } from './spotlight.tsx'

/** With the home indicator of phones without a button. */
const BOTTOM = 'calc(var(--bottom) + env(safe-area-inset-bottom))'
const loadMenus = () => import('./header-menu.tsx')
const HeaderMenu = lazyPart(loadMenus)

export function Shell({ children }: { readonly children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const [location] = useLocation()
  const pages = usePluginPages()
  const here = doorAt(location, pages.find(({ href }) => href === location)?.kind)
  const session = useSession()
  useChanges()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new address closes the mobile navigation
  useEffect(close, [location])
  const navigation = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the link of the current page stays in sight
  useEffect(() => {
    const [bar, link] = [navigation.current, navigation.current?.querySelector<HTMLElement>('[aria-current]')]
    if (bar != null && link != null) scrollInside(bar, link)
  }, [location])
  // On a phone, the list follows its button in the window and precedes it in the document.
  useEffect(() => {
    if (isOpen) navigation.current?.querySelector<HTMLElement>('[aria-current], a')?.focus()
  }, [isOpen])
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !isOpen) return
    close()
    opener.current?.focus()
  }

  return (
    <AppShell
      header={{ height: 'var(--header)' }}
      footer={{ height: { base: BOTTOM, md: 0 } }}
      navbar={{ width: 220, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <button type="button" className="skip" onClick={skip}>
        {shell.skip}
      </button>
      <AppShell.Header>
        <Header />
      </AppShell.Header>
      <AppShell.Navbar
        ref={navigation}
        id="navigation"
        p="xs"
        aria-label={shell.navigation}
        style={{ overflowY: 'auto' }}
        data-open={isOpen}
        onKeyDown={onKeyDown}
      >
        <Doors current={here?.id} onChoose={close} />
      </AppShell.Navbar>
      <AppShell.Main>
        {session.enabled ? null : (
          <Alert color="yellow" mb="md">
            {shell.authOff}
          </Alert>
        )}
        <DoorFrame door={here} pages={pages}>
          {children}
        </DoorFrame>
      </AppShell.Main>
      <AppShell.Footer hiddenFrom="md" component="nav" aria-label={shell.quickNavigation} className="bottom-bar">
        <QuickDoors current={here?.id} onChoose={close} />
        <UnstyledButton
          ref={opener}
          className="bottom-link"
          onClick={toggle}
          onKeyDown={onKeyDown}
          aria-expanded={isOpen}
          aria-controls="navigation"
        >
          <IconMenu2 size={22} aria-hidden />
          {shell.more}
        </UnstyledButton>
      </AppShell.Footer>
      <Search />
      <Installed />
    </AppShell>
  )
}

/** The parts of the frame are memoized: its state changes several times while a page loads. */
const Header = memo(function Header() {
  const { authenticated: isSignedIn } = useSession()
  return (
    <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="xs">
      <UnstyledButton component={Link} href="/">
        <Brand />
      </UnstyledButton>
      <Group gap="xs" wrap="nowrap">
        <Connection />
        <ActionIcon variant="default" size="lg" onClick={openSearch} aria-label={shell.search}>
          <IconSearch size={18} />
        </ActionIcon>
        <LazyMenu name={shell.scheme} icon={<SchemeIcon />} load={loadMenus} variant="default" size="lg">
          <HeaderMenu kind="scheme" />
        </LazyMenu>
        {isSignedIn ? (
          <LazyMenu
            name={shell.account}
            icon={<IconUser size={18} aria-hidden />}
            load={loadMenus}
            variant="default"
            size="lg"
          >
            <HeaderMenu kind="account" />
          </LazyMenu>
        ) : null}
      </Group>
    </Group>
  )
})

interface DoorsProps {
  readonly current: Door['id'] | undefined
  readonly onChoose: () => void
}

const Doors = memo(function Doors({ current, onChoose }: DoorsProps) {
  return NAVIGATION.map(({ title, doors }) => (
    <div key={title} role="group" aria-label={title} className="doors">
      {doors.map(({ id, title: name, icon: Icon, href, load }) => (
        <NavLink
          key={id}
          component={Link}
          href={href}
          label={name}
          active={id === current}
          aria-current={id === current ? 'page' : undefined}
          leftSection={Icon === undefined ? null : <Icon size={20} aria-hidden />}
          onClick={onChoose}
          onMouseEnter={() => void load()}
          onFocus={() => void load()}
        />
      ))}
    </div>
  ))
})

const QuickDoors = memo(function QuickDoors({ current, onChoose }: DoorsProps) {
  return QUICK_DOORS.map(({ id, title, icon: Icon, href }) => (
    <Link
      key={id}
      href={href}
      className="bottom-link"
      aria-current={id === current ? 'page' : undefined}
      onClick={onChoose}
    >
      {Icon === undefined ? null : <Icon size={22} aria-hidden />}
      {title}
    </Link>
  ))
})

function Connection() {
  const state = useConnection()
  const text = shell.connection[state]
  return (
    <Group gap="xs" role="status" wrap="nowrap" title={text}>
      <Box
        w={10}
        h={10}
        bg={{ live: 'green.7', reconnecting: 'orange.6', lost: 'red.7' }[state]}
        bdrs="xl"
        aria-hidden
      />
      <Text size="sm" c="dimmed" visibleFrom="sm">
        {text}
      </Text>
      <VisuallyHidden hiddenFrom="sm">{text}</VisuallyHidden>
    </Group>
  )
}

function SchemeIcon() {
  const Current = SCHEMES[useMantineColorScheme().colorScheme]
  return <Current size={18} />
}

// Not a link: a hash would add an entry to the browser history.
function skip(): void {
  document.getElementById('content')?.focus()
}
