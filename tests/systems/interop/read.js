// read.js NODE_MODULES FILE: prints as JSON what the MCAP format's own readers find in a file.
import { open } from "node:fs/promises";
import { createRequire } from "node:module";

const [modules, path] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { McapIndexedReader, McapStreamReader } = require("@mcap/core");
const { FileHandleReadable } = require("@mcap/nodejs");
const { loadDecompressHandlers } = require("@mcap/support");

const describe = (channels, message) => {
  const channel = channels.get(message.channelId);
  return {
    topic: channel.topic,
    encoding: channel.messageEncoding,
    metadata: Object.fromEntries(channel.metadata),
    sequence: message.sequence,
    time: message.logTime,
    publishTime: message.publishTime,
    data: Buffer.from(message.data).toString("hex"),
  };
};

async function readIndexed(file, decompressHandlers) {
  const reader = await McapIndexedReader.Initialize({ readable: new FileHandleReadable(file), decompressHandlers });
  const messages = [];
  for await (const message of reader.readMessages({ validateCrcs: true }))
    messages.push(describe(reader.channelsById, message));
  const metadata = [];
  for await (const record of reader.readMetadata()) metadata.push([record.name, Object.fromEntries(record.metadata)]);
  const { statistics, header } = reader;
  return {
    profile: header.profile,
    library: header.library,
    messages,
    metadata,
    chunks: reader.chunkIndexes.map((chunk) => ({
      from: chunk.messageStartTime,
      to: chunk.messageEndTime,
      channels: chunk.messageIndexOffsets.size,
      compression: chunk.compression,
    })),
    statistics: {
      messages: statistics.messageCount,
      channels: statistics.channelCount,
      chunks: statistics.chunkCount,
      metadata: statistics.metadataCount,
      from: statistics.messageStartTime,
      to: statistics.messageEndTime,
      counts: Object.fromEntries(statistics.channelMessageCounts),
    },
  };
}

async function readStream(file, decompressHandlers) {
  const reader = new McapStreamReader({ decompressHandlers, validateCrcs: true });
  reader.append(await file.readFile());
  const channels = new Map();
  const messages = [];
  for (let record; (record = reader.nextRecord()); ) {
    if (record.type === "Channel") channels.set(record.id, record);
    if (record.type === "Message") messages.push(describe(channels, record));
  }
  return { messages, done: reader.done() };
}

const file = await open(path);
const handlers = await loadDecompressHandlers();
const result = { indexed: await readIndexed(file, handlers), stream: await readStream(file, handlers) };
await file.close();
console.log(JSON.stringify(result, (_key, value) => (typeof value === "bigint" ? Number(value) : value)));
