// The header menus: colour scheme with language, and the account.
import { ActionIcon, Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core'
import { IconLogout, IconUser } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useOpenMenu } from '../parts/page/lazy-menu.tsx'
import { shell } from '../texts/en/shell.ts'
import { keepLanguage, LANGUAGES, language, type Language } from '../texts/language.ts'
import { say } from '../texts/say.ts'
import { SCHEMES } from './scheme-icons.ts'
import { signOut, useSession } from './session-state.ts'

/** Opens by itself, because its button was pressed before this module was loaded. */
export default function HeaderMenu({ kind }: { readonly kind: 'scheme' | 'account' }) {
  return kind === 'scheme' ? <SchemeMenu /> : <AccountMenu />
}

/** The test language shows texts that are not translated. It is selected by hand in the browser storage. */
const OFFERED = (Object.keys(LANGUAGES) as Language[]).filter((one) => one !== 'en-XA' || one === language)

function SchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const Current = SCHEMES[colorScheme]
  const { target, opened, setOpened } = useOpenMenu()
  return (
    <Menu position="bottom-end" opened={opened} onChange={setOpened}>
      <Menu.Target>
        <ActionIcon ref={target} variant="default" size="lg" aria-label={shell.scheme}>
          <Current size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(SCHEMES) as MantineColorScheme[]).map((scheme) => {
          const Icon = SCHEMES[scheme]
          return (
            <Menu.Item
              key={scheme}
              leftSection={<Icon size={16} aria-hidden />}
              aria-current={scheme === colorScheme}
              onClick={() => setColorScheme(scheme)}
            >
              {shell.schemes[scheme]}
            </Menu.Item>
          )
        })}
        <Menu.Divider />
        <Menu.Label>{shell.language}</Menu.Label>
        {OFFERED.map((one) => (
          <Menu.Item key={one} lang={one} aria-current={one === language} onClick={() => choose(one)}>
            {LANGUAGES[one]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function choose(one: Language): void {
  keepLanguage(one)
  window.location.reload()
}

function AccountMenu() {
  const { username: name } = useSession()
  const { target, opened, setOpened } = useOpenMenu()
  return (
    <Menu position="bottom-end" opened={opened} onChange={setOpened}>
      <Menu.Target>
        <ActionIcon ref={target} variant="default" size="lg" aria-label={shell.account}>
          <IconUser size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{say(shell.signedInAs, { name })}</Menu.Label>
        <Menu.Item component={Link} href="/settings/account" leftSection={<IconUser size={16} aria-hidden />}>
          {shell.account}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOut()}>
          {shell.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
