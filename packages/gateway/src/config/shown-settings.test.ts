import { expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { shownSettings } from './shown-settings.ts'

const shown = (environment: Record<string, string>) => {
  const all = shownSettings(loadConfig(environment, '/nowhere').config)
  return (name: string) => all.find((one) => one.name === name)?.value
}

test('of a secret only that it is set is shown, and of an address never who signs in with it', () => {
  const value = shown({
    DATABASE_URL: 'postgres://me:hidden@db/toolway',
    TOOLWAY_PUBLIC_URL: 'https://me:hidden@tools.example.com/a@b',
    TOOLWAY_ALLOWED_HOSTS: 'one, two',
  })
  expect(value('DATABASE_URL')).toBe('***')
  expect(value('TOOLWAY_BOOTSTRAP_KEY')).toBeNull()
  expect(value('TOOLWAY_PUBLIC_URL')).toBe('https://***@tools.example.com/a@b')
  expect(value('TOOLWAY_ALLOWED_HOSTS')).toBe('one, two')
})

test('where each comes from is told by who has read them', () => {
  const { config, origins } = loadConfig({ TOOLWAY_ALLOWED_HOSTS: 'one' }, '/nowhere')
  const origin = (all: ReturnType<typeof shownSettings>, name: string) => all.find((one) => one.name === name)?.origin
  expect(origin(shownSettings(config, origins), 'TOOLWAY_ALLOWED_HOSTS')).toBe('environment')
  expect(origin(shownSettings(config, origins), 'TOOLWAY_PORT')).toBe('default')
  expect(origin(shownSettings(config), 'TOOLWAY_PORT')).toBeNull()
})
