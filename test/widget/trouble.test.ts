import { describe, expect, it } from 'vitest';
import { eventually } from '../embedded.ts';
import type { Site } from './world.ts';
import { worldOfTests } from './world-of-tests.ts';

const tests = worldOfTests();
const element = (site: Site, code: string) =>
  site.page.evaluate(`document.querySelector('callkite-widget').${code}`);
const alert = (site: Site, text: string | RegExp) => site.page.getByRole('alert').getByText(text);

/** Types, and waits until the agent has answered. */
async function converse(site: Site, text: string): Promise<void> {
  await site.type(text);
  await eventually('an answer', async () => {
    const lines = await site.lines();
    return lines.includes(text) && lines.at(-1) !== text;
  });
}

async function startCall(site: Site): Promise<void> {
  await site.enter();
  await site.button('Start call').click();
  await site.reaches('live');
}

/** Runs in the page: audio contexts that the browser lets nobody start. */
const suspended = `
  const Context = window.AudioContext;
  window.AudioContext = class extends Context {
    constructor(options) { super(options); super.suspend(); }
    resume() { return Promise.resolve(); }
  };
`;
/** Runs in the page: a microphone that hears nothing but a loud tone. */
const tone = `
  navigator.mediaDevices.getUserMedia = async () => {
    const context = new AudioContext();
    const oscillator = new OscillatorNode(context, { frequency: 440 });
    const microphone = context.createMediaStreamDestination();
    oscillator.connect(microphone);
    oscillator.start();
    return microphone.stream;
  };
`;
/** Runs in the page: keeps the microphone, to pull it out. */
const unpluggable = `
  const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (wanted) => {
    const stream = await ask(wanted);
    window.unplug = () => {
      for (const track of stream.getTracks()) { track.stop(); track.dispatchEvent(new Event('ended')); }
    };
    return stream;
  };
`;

/** What the page sends over the socket, text only. */
function sent(site: Site): string[] {
  const messages: string[] = [];
  site.page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => {
      if (typeof payload === 'string') messages.push(payload);
    });
  });
  return messages;
}

describe('sound that does not work', { timeout: 120_000 }, () => {
  it('has the same call go on in writing, with a notice, when no sound comes', async () => {
    const site = await tests.visit({ microphone: 'granted', initScript: suspended });
    const messages = sent(site);
    await startCall(site);
    await alert(site, 'The conversation continues in writing').waitFor();
    const callId = await element(site, 'callId');
    await eventually('what the agent says', async () => (await site.lines()).length > 0);
    await converse(site, 'Can you repeat that?');
    expect(await element(site, 'callId')).toBe(callId);
    expect(await site.told('error')).toMatchObject([{ code: 'voice_unavailable' }]);
    expect(messages).toContain('{"type":"mute","on":true}');
    await site.button('Continue with sound').waitFor();
    await site.shoot('no-sound');
  });

  it('says that the microphone was unplugged, and goes on with sound when it is back', async () => {
    const site = await tests.visit({ microphone: 'granted', initScript: unpluggable });
    await startCall(site);
    await site.button('Mute').waitFor();
    await site.page.evaluate('window.unplug()');
    await alert(site, 'Your microphone was disconnected.').waitFor();
    await converse(site, 'Can you repeat that?');
    await site.shoot('microphone-unplugged');
    await site.button('Continue with sound').click();
    await site.button('Mute').waitFor();
    expect(await site.status()).toBe('live');
    expect(await site.page.getByRole('alert').count()).toBe(0);
  });

  it('does not take a constant tone for somebody who never stops speaking', async () => {
    const site = await tests.visit({ microphone: 'granted', initScript: tone });
    await startCall(site);
    await alert(site, 'picks up a constant noise').waitFor();
    await converse(site, 'Can you repeat that?');
    await site.shoot('constant-noise');
  });

  it('can be put on hold by the visitor, who is told so', async () => {
    const site = await tests.visit({ microphone: 'granted' });
    const messages = sent(site);
    await startCall(site);
    await site.button('Hold').click();
    await site.page.getByText('On hold').waitFor();
    await site.button('Resume').click();
    await site.button('Hold').waitFor();
    const pauses = messages.filter((message) => message.includes('"pause"'));
    expect(pauses.slice(-2)).toEqual(['{"type":"pause","on":true}', '{"type":"pause","on":false}']);
  });
});

describe('what does not work is said by its cause', () => {
  it('opens no panel without a connection, says why, and opens it later', async () => {
    const site = await tests.visit();
    await site.launcher.waitFor();
    await site.page.context().setOffline(true);
    await site.launcher.click();
    await alert(site, "We couldn't connect. Please check your internet connection.").waitFor();
    await site.shoot('offline');
    await site.page.context().setOffline(false);
    await site.launcher.click();
    await site.button('Start call').waitFor();
  });

  it('says that there is no connection when a call is started without one, and starts it later', async () => {
    const site = await tests.visit();
    await site.enter();
    await site.page.context().setOffline(true);
    await site.button('Start call').click();
    await alert(site, "We couldn't connect.").waitFor();
    await site.page.context().setOffline(false);
    await site.button('Try again').click();
    await site.reaches('live');
  });

  it.each([
    ['revoked', 'key_invalid', 'The assistant is no longer available on this website.'],
    ['for another site', 'origin_not_allowed', "The assistant isn't set up for this website."],
  ])(
    'says at once to the visitor and to the owner of the page that the key is %s',
    async (why, code, sentence) => {
      const { embedded, workflowId } = tests.world;
      const { publishableKeys } = embedded.callkite;
      const site = await tests.visit();
      const isRevoked = code === 'key_invalid';
      const { key } = await publishableKeys.create(embedded.organizationId, {
        mode: 'live',
        name: why,
        allowedOrigins: [isRevoked ? new URL(site.page.url()).origin : 'https://www.example.org'],
        workflowIds: [workflowId],
      });
      if (isRevoked) await publishableKeys.revoke(embedded.organizationId, key.id);
      await element(site, `publicKey = '${key.key}'`);
      await site.launcher.click();
      await alert(site, sentence).waitFor();
      expect(await site.told('error')).toMatchObject([{ code }]);
      expect(site.complaints.join()).toContain(`<callkite-widget> ${code}: `);
    },
  );

  it('says until when the calls of the day are used up', async () => {
    const site = await tests.visit({ attributes: 'voice="off"', timezoneId: 'Europe/Berlin' });
    await site.page.route('**/widget/sessions', (route) =>
      route.fulfill({
        status: 429,
        headers: {
          'access-control-allow-origin': '*',
          'access-control-expose-headers': 'retry-after',
          'retry-after': '7200',
        },
        json: { error: "Today's budget of this key is spent", code: 'rate_limited' },
      }),
    );
    await site.enter();
    await site.button('Start chat').click();
    await alert(site, /We've reached our limit for today\. Please try again after .*\d:\d\d/).waitFor();
    const [error] = await site.told('error');
    expect(error).toMatchObject({ code: 'budget_used_up' });
    expect(new Date(String(error?.until)).getTime()).toBeGreaterThan(Date.now() + 3_600_000);
    expect(site.complaints.join()).toContain('budget_used_up');
  });
});

describe('call-backs', () => {
  it('are not offered where the key allows none', async () => {
    const { embedded, workflowId } = tests.world;
    const site = await tests.visit();
    const { key } = await embedded.callkite.publishableKeys.create(embedded.organizationId, {
      mode: 'live',
      name: 'No call-backs',
      allowedOrigins: [new URL(site.page.url()).origin],
      workflowIds: [workflowId],
    });
    await element(site, `publicKey = '${key.key}'`);
    await site.launcher.click();
    await site.button('Start call').waitFor();
    expect(await site.page.getByRole('tab').count()).toBe(0);
  });

  it('that were missed say so, and are tried again', { timeout: 120_000 }, async () => {
    const site = await tests.visit({ attributes: 'mode="callback"' });
    await site.launcher.click();
    await site.page.getByLabel('Phone number').fill('(202) 555-0111');
    await site.page.getByRole('checkbox').check();
    await site.button('Call me').click();
    await site.page.getByText(/^We called .*\+1\s\(202\)\s555.0111.*, but nobody answered\.$/).waitFor({
      timeout: 60_000,
    });
    await site.shoot('call-back-missed');
    await site.button('Call me again').click();
    await eventually('the second request', async () => (await site.told('callback-requested')).length === 2);
    await site.page.getByText(/^We called .*, but nobody answered\.$/).waitFor({ timeout: 60_000 });
  });

  it('that are to come are known after a reload, and can be canceled', async () => {
    const site = await tests.visit({ timezoneId: 'Europe/Berlin' });
    await site.launcher.click();
    await site.page.getByRole('tab', { name: 'Call me back' }).click();
    await site.page.getByLabel('Phone number').fill('202 555 0107');
    await site.page.getByLabel('When should we call?').selectOption('2');
    await site.page.getByLabel('At what time?').selectOption('9:15 AM');
    await site.page.getByRole('checkbox').check();
    await site.button('Call me').click();
    const promise = site.page.getByText(/^We will call .* at 9:15\sAM GMT\+[12]\.$/);
    await promise.waitFor();
    const [requested] = await site.told('callback-requested');
    await site.page.reload();
    await site.launcher.click();
    await promise.waitFor();
    await site.button('Cancel this call').click();
    await site.page.getByText('The call was canceled.').waitFor();
    const call = await tests.world.embedded.request('GET', `/calls/${requested?.id}`);
    expect(await call.json()).toMatchObject({ state: 'completed', provider_status: 'canceled' });
    await site.shoot('call-back-canceled');
  });

  it('are asked for by keyboard, day and time included', async () => {
    const site = await tests.visit({ attributes: 'mode="callback"', language: 'de' });
    await site.launcher.click();
    const day = site.page.getByLabel('Wann sollen wir anrufen?');
    await day.focus();
    await site.page.keyboard.press('ArrowDown');
    await site.page.keyboard.press('ArrowDown');
    await site.page.keyboard.press('Tab');
    const time = site.page.getByLabel(/^Um wie viel Uhr\?/);
    await eventually('the focus at the time', () =>
      time.evaluate((select: { matches(selector: string): boolean }) => select.matches(':focus')),
    );
    await site.shoot('call-back-time-de');
  });
});

describe('on the page', () => {
  it('stands beside other widgets, not over them, and each goes on with its own call', async () => {
    const site = await tests.visit({ second: '' });
    const boxes = await Promise.all(
      [0, 1].map((each) => site.page.locator('button.launcher').nth(each).boundingBox()),
    );
    const [first, second] = boxes;
    expect((second?.y ?? 0) + (second?.height ?? 0)).toBeLessThanOrEqual(first?.y ?? 0);
    await site.shoot('two-widgets');
    await site.page.locator('button.launcher').nth(1).click();
    await site.page.getByRole('checkbox').check();
    await converse(site, 'Can you repeat that?');
    await site.page.reload();
    const statuses = () =>
      site.page.evaluate('[...document.querySelectorAll("callkite-widget")].map(({ status }) => status)');
    await eventually('the call in the second widget', async () => String(await statuses()) === 'ready,live');
  });

  it('shows the end of what was said when the call has ended', async () => {
    const site = await tests.visit({ viewport: { width: 1000, height: 620 }, attributes: 'voice="off"' });
    await site.enter();
    for (const text of ['Can you repeat that?', 'Repeat that, please', 'And once more: repeat it']) {
      await converse(site, text);
    }
    await site.button('End').click();
    await site.reaches('ended');
    await site.button('Start a new call').waitFor();
    await site.shoot('ended-at-the-end');
    await eventually('the last line above the buttons', async () => {
      const last = await site.page.locator('.message').last().boundingBox();
      const outcome = await site.page.locator('.outcome').boundingBox();
      return last && outcome && last.y + last.height <= outcome.y;
    });
  });

  it.each([
    [800, 600],
    [375, 667],
  ])('has room for long German words in %i × %i', async (width, height) => {
    const site = await tests.visit({
      language: 'de',
      viewport: { width, height },
      microphone: 'granted',
      initScript: unpluggable,
    });
    const fits = async (name: string) => {
      await site.shoot(`de-${width}-${name}`);
      const tooWide = await site.page.evaluate(`(() => {
        const root = document.querySelector('callkite-widget').shadowRoot;
        const panel = root.querySelector('.panel').getBoundingClientRect();
        return [...root.querySelectorAll('button, p, label, select')].filter((part) => {
          const box = part.getBoundingClientRect();
          const isCut = part.scrollWidth > part.clientWidth + 1 && part.tagName === 'BUTTON';
          return box.width > 1 && (box.left < panel.left || box.right > panel.right || isCut);
        }).map(({ textContent }) => textContent.trim());
      })()`);
      expect(tooWide, name).toEqual([]);
    };
    await site.launcher.click();
    await site.page.getByRole('tab').first().waitFor();
    await fits('ready');
    await site.page.getByRole('checkbox').check();
    await site.button('Gespräch beginnen').click();
    await site.button('Stumm').waitFor();
    await fits('live');
    await site.page.evaluate('window.unplug()');
    await site.button('Mit Ton weiter').waitFor();
    await fits('without-sound');
    await site.button('Beenden').click();
    await site.reaches('ended');
    await fits('ended');
  });
});
