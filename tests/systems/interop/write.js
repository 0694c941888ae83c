// write.js NODE_MODULES FILE COMPRESSION: writes a file with the MCAP format's own writer, `zstd` or `none`, with hkpd's
// channels and a foreign one.
import { open } from "node:fs/promises";
import { createRequire } from "node:module";

const [modules, path, compression] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { McapWriter } = require("@mcap/core");
const { FileHandleWritable } = require("@mcap/nodejs");
const zstd = require("@foxglove/wasm-zstd");

await zstd.isLoaded;
const compressChunk =
  compression === "zstd"
    ? (data) => ({ compression: "zstd", compressedData: zstd.compress(data, 3) })
    : undefined;
const file = await open(path, "w");
const writer = new McapWriter({ writable: new FileHandleWritable(file), chunkSize: 10000, compressChunk });
await writer.start({ profile: "x-hkpd", library: "interop" });
const register = (topic, messageEncoding, metadata) =>
  writer.registerChannel({ schemaId: 0, topic, messageEncoding, metadata: new Map(Object.entries(metadata)) });
const samples = await register("v1/PC", "x-hkpd-v1", { machine: "PC" });
const titles = await register("titles/PC/Counter", "x-hkpd-titles", { machine: "PC", name: "Counter", language: "009" });
const foreign = await register("log", "json", {});
const add = (channelId, sequence, time, text) =>
  writer.addMessage({
    channelId,
    sequence,
    logTime: BigInt(time),
    publishTime: BigInt(time),
    data: new TextEncoder().encode(text),
  });

await writer.addMetadata({ name: "hkpd", metadata: new Map([["os", "6.1.7601"]]) });
await add(titles, 0, 1, "titles");
for (let i = 0; i < 100; ++i) {
  await add(samples, i, 1000 + i, `sample ${i} `.repeat(100));
  if (i % 10 === 0) await add(foreign, i, 1000 + i, "{}");
}
await writer.addAttachment({ logTime: 1n, createTime: 1n, name: "a", mediaType: "text/plain", data: new Uint8Array(9) });
await writer.end();
await file.close();
