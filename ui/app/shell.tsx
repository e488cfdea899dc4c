// The frame of every page: navigation, connection state, colour scheme, account menu.
import {
  ActionIcon,
  Alert,
  AppShell,
  Box,
  Burger,
  Group,
  NavLink,
  Text,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconApi, IconBook, IconMenu2, IconSearch, IconUser } from '@tabler/icons-react'
import { Suspense, useEffect, useRef, useState, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { at } from '../api/base.ts'
import { useChanges } from '../api/changes.ts'
import { useConnection } from '../api/connection.ts'
import { Brand } from '../parts/page/brand.tsx'
import { shell } from '../texts/en/shell.ts'
import { lazyPart } from '../parts/page/lazy-part.ts'
import { scrollInside } from '../parts/page/scroll-inside.ts'
import { PluginLinks } from './plugin-links.tsx'
import { Installed } from './installed.tsx'
import { NAVIGATION } from './navigation.ts'
import { ROUTES } from './routes.ts'
import { SCHEMES } from './scheme-icons.ts'
import { useSession } from './session-state.ts'
import { openSearch, Search } from './spotlight.tsx'

/** 56 px and the home indicator of phones without a button. */
const BOTTOM = 'calc(56px + env(safe-area-inset-bottom))'
/** Areas in the bottom bar, within a thumb's reach on phones. */
const QUICK = ['home', 'library', 'watchlist', 'history'].flatMap((area) =>
  ROUTES.filter((route) => route.area === area),
)
const loadMenus = () => import('./header-menu.tsx')
const HeaderMenu = lazyPart(loadMenus)

export function Shell({ children }: { readonly children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const [location] = useLocation()
  const session = useSession()
  useChanges()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new address closes the mobile navigation
  useEffect(close, [location])
  const navigation = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the link of the current page stays in sight
  useEffect(() => {
    const [bar, link] = [navigation.current, navigation.current?.querySelector<HTMLElement>('[aria-current]')]
    if (bar != null && link != null) scrollInside(bar, link)
  }, [location])

  return (
    <AppShell
      header={{ height: 56 }}
      footer={{ height: { base: BOTTOM, md: 0 } }}
      navbar={{ width: 220, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <button type="button" className="skip" onClick={skip}>
        {shell.skip}
      </button>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={isOpen ? shell.closeNavigation : shell.openNavigation}
              aria-expanded={isOpen}
            />
            <UnstyledButton component={Link} href="/">
              <Brand />
            </UnstyledButton>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Connection />
            <ActionIcon variant="default" size="lg" onClick={openSearch} aria-label={shell.search}>
              <IconSearch size={18} />
            </ActionIcon>
            <LazyMenu kind="scheme" name={shell.scheme} icon={<SchemeIcon />} />
            {session.authenticated ? (
              <LazyMenu kind="account" name={shell.account} icon={<IconUser size={18} aria-hidden />} />
            ) : null}
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar ref={navigation} p="xs" aria-label={shell.navigation} style={{ overflowY: 'auto' }}>
        {NAVIGATION.map(({ title, routes }) => (
          <Box key={title} role="group" aria-label={title} mb="sm">
            <Text size="xs" fw={600} c="dimmed" px="sm" mb={2} aria-hidden>
              {title}
            </Text>
            {routes.map(({ area, title: name, icon: Icon, paths, load }) => {
              const isHere = area === 'home' ? location === '/' : paths.some((path) => belongs(location, path))
              return (
                <NavLink
                  key={area}
                  component={Link}
                  href={paths[0] as string}
                  label={name}
                  active={isHere}
                  aria-current={isHere ? 'page' : undefined}
                  leftSection={Icon === undefined ? null : <Icon size={20} aria-hidden />}
                  onMouseEnter={() => void load()}
                  onFocus={() => void load()}
                />
              )
            })}
          </Box>
        ))}
        <PluginLinks />
        <Box mt="auto">
          <NavLink href={at('/guide')} label={shell.guide} leftSection={<IconBook size={20} aria-hidden />} />
          <NavLink href={at('/redoc')} label={shell.apiReference} leftSection={<IconApi size={20} aria-hidden />} />
        </Box>
      </AppShell.Navbar>
      <AppShell.Main>
        {session.enabled ? null : (
          <Alert color="yellow" mb="md">
            {shell.authOff}
          </Alert>
        )}
        {children}
      </AppShell.Main>
      <AppShell.Footer hiddenFrom="md" component="nav" aria-label={shell.quickNavigation} className="bottom-bar">
        {QUICK.map(({ area, title, icon: Icon, paths }) => {
          const isHere = area === 'home' ? location === '/' : paths.some((path) => belongs(location, path))
          return (
            <Link
              key={area}
              href={paths[0] as string}
              className="bottom-link"
              aria-current={isHere ? 'page' : undefined}
            >
              {Icon === undefined ? null : <Icon size={22} aria-hidden />}
              {title}
            </Link>
          )
        })}
        <UnstyledButton className="bottom-link" onClick={toggle} aria-expanded={isOpen}>
          <IconMenu2 size={22} aria-hidden />
          {shell.more}
        </UnstyledButton>
      </AppShell.Footer>
      <Search />
      <Installed />
    </AppShell>
  )
}

function Connection() {
  const state = useConnection()
  const text = shell.connection[state]
  return (
    <Group gap={6} role="status" wrap="nowrap" title={text}>
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

/** A button whose menu is loaded on hover or focus. */
function LazyMenu({
  kind,
  name,
  icon,
}: {
  readonly kind: 'scheme' | 'account'
  readonly name: string
  readonly icon: ReactNode
}) {
  const [isUsed, setUsed] = useState(false)
  const button = (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={name}
      aria-haspopup="menu"
      aria-expanded={false}
      onMouseEnter={() => void loadMenus()}
      onFocus={() => void loadMenus()}
      onClick={() => setUsed(true)}
    >
      {icon}
    </ActionIcon>
  )
  return isUsed ? (
    <Suspense fallback={button}>
      <HeaderMenu kind={kind} />
    </Suspense>
  ) : (
    button
  )
}

function SchemeIcon() {
  const Current = SCHEMES[useMantineColorScheme().colorScheme]
  return <Current size={18} />
}

function belongs(location: string, path: string): boolean {
  const base = `/${path.split('/')[1]}`
  return location === base || location.startsWith(`${base}/`)
}

// Not a link: a hash would add an entry to the browser history.
function skip(): void {
  document.getElementById('content')?.focus()
}
