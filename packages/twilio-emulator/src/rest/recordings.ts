import {
  type CallRecording,
  type CallRecordings,
  recordingEventsOf,
  recordingPath,
  seconds,
} from '../calls/call-recordings.ts';
import type { Exchange } from '../calls/exchange.ts';
import { rfc2822 } from '../dates.ts';
import type { Emulation } from '../emulation.ts';
import { ApiError, notFound } from './api-error.ts';
import { ParameterReader } from './call-parameters.ts';
import { listing } from './pages.ts';
import type { ApiRequest } from './request.ts';

export interface RecordingsAnswer {
  readonly status: 200 | 201 | 204;
  readonly body: Record<string, unknown> | null;
}

/** The Recordings resource, of an account and of its calls. */
export class RecordingsApi {
  readonly #emulation: Emulation;
  readonly #exchange: Exchange;

  constructor(emulation: Emulation, exchange: Exchange) {
    this.#emulation = emulation;
    this.#exchange = exchange;
  }

  get #recordings(): CallRecordings {
    return this.#emulation.callRecordings;
  }

  /** Undefined for a path that is none of a recording's. @throws ApiError */
  answer(request: ApiRequest, resource: string): RecordingsAnswer | undefined {
    const [, callSid, sid] = /^(?:\/Calls\/(\w+))?\/Recordings(?:\/(\w+))?$/.exec(resource) ?? [];
    if (!/\/Recordings(?:\/\w+)?$/.test(resource)) return undefined;
    const { method, account } = request;
    if (sid === undefined) {
      if (method === 'POST' && callSid !== undefined) return this.#start(request, callSid);
      if (method !== 'GET') throw notFound(request.path);
      const all = this.#recordings.list(account, callSid);
      return { status: 200, body: listing(request, 'recordings', all, recordingResource) };
    }
    const recording = this.#find(request, sid, callSid);
    if (method === 'GET') return { status: 200, body: recordingResource(recording) };
    if (method === 'DELETE') return this.#delete(recording);
    if (method === 'POST' && callSid !== undefined) return this.#update(request, recording);
    throw notFound(request.path);
  }

  /** The sound of a recording. @throws ApiError */
  wav(request: ApiRequest, sid: string): Uint8Array {
    const recording = this.#find(request, sid);
    if (recording.status !== 'completed') throw notFound(request.path);
    const requested = Number(request.query.get('RequestedChannels') ?? recording.channels);
    if (requested > recording.channels) {
      throw new ApiError(400, 20001, 'RequestedChannels: the recording has one channel');
    }
    return this.#recordings.wav(recording);
  }

  #find(request: ApiRequest, sid: string, callSid?: string): CallRecording {
    const recording = this.#recordings.find(request.account, sid);
    if (!recording || (callSid !== undefined && recording.call.sid !== callSid)) throw notFound(request.path);
    return recording;
  }

  #start(request: ApiRequest, callSid: string): RecordingsAnswer {
    const { account, form } = request;
    const call = this.#exchange.find(account, callSid);
    if (!call) throw notFound(request.path);
    if (account.type === 'Trial') throw new ApiError(400, 10002, 'Trial accounts cannot record calls');
    if (call.shownStatus !== 'in-progress' || call.isOver) {
      throw new ApiError(400, 21220, 'Requested resource is not eligible for recording');
    }
    const parameters = new ParameterReader(form, this.#emulation.allowInsecureLoopback);
    const target = parameters.target('RecordingStatusCallback', 'RecordingStatusCallbackMethod', 21609);
    const channels = form.get('RecordingChannels') ?? 'mono';
    if (channels !== 'mono' && channels !== 'dual') {
      throw new ApiError(400, 21200, "RecordingChannels must be 'mono' or 'dual'");
    }
    const recording = this.#recordings.start(call, {
      source: 'StartCallRecordingAPI',
      channels: channels === 'dual' ? 2 : 1,
      callback: target && {
        ...target,
        events: recordingEventsOf(form.getAll('RecordingStatusCallbackEvent')),
      },
    });
    if (this.#emulation.faults.happens('recordingStart5xx')) {
      throw new ApiError(503, 20503, 'Service unavailable');
    }
    return { status: 201, body: recordingResource(recording) };
  }

  #update({ form }: ApiRequest, recording: CallRecording): RecordingsAnswer {
    if (form.get('Status') !== 'stopped') {
      throw new ApiError(400, 21200, "Status must be 'stopped': pauses are not emulated");
    }
    if (!this.#recordings.stop(recording)) {
      throw new ApiError(400, 21220, 'The recording is not in progress');
    }
    return { status: 200, body: recordingResource(recording) };
  }

  #delete(recording: CallRecording): RecordingsAnswer {
    if (recording.status === 'in-progress' || recording.status === 'processing') {
      throw new ApiError(409, 20009, 'The recording is not complete, so that it cannot be deleted');
    }
    if (this.#emulation.faults.happens('recordingDeleteFails')) {
      throw new ApiError(503, 20503, 'Service unavailable');
    }
    this.#recordings.delete(recording);
    return { status: 204, body: null };
  }
}

function recordingResource(recording: CallRecording): Record<string, unknown> {
  const { sid, call, status, channels, source, startedAt, durationMs } = recording;
  const path = recordingPath(recording);
  return {
    sid,
    account_sid: call.account.sid,
    call_sid: call.sid,
    conference_sid: null,
    status,
    channels,
    source,
    track: 'both',
    start_time: rfc2822(startedAt),
    date_created: rfc2822(startedAt),
    date_updated: rfc2822(startedAt),
    duration: durationMs === undefined ? '-1' : seconds(durationMs),
    error_code: null,
    price: null,
    price_unit: 'USD',
    encryption_details: null,
    api_version: '2010-04-01',
    media_url: path,
    uri: `${path}.json`,
  };
}
