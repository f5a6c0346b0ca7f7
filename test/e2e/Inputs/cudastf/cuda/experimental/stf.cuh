// What samples/cudastf uses of CUDASTF, as its documentation has it, so that the samples are tested where CCCL is not.
// Its own headers are the user's.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace cuda::experimental::stf {

inline void require(cudaError_t error) {
    if (error != cudaSuccess) {
        fprintf(stderr, "CUDASTF: %s\n", cudaGetErrorString(error));
        abort();
    }
}

// The event behind a task.
struct done {
    done() {
        require(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    done(const done &) = delete;
    ~done() {
        cudaEventDestroy(event);
    }
    cudaEvent_t event;
};

using done_list = std::vector<std::shared_ptr<done>>;

struct token_state {
    done_list writes, reads; // since then
};

struct dependency {
    std::shared_ptr<token_state> state;
    bool writes;
};

class token {
  public:
    dependency read() {
        return {state, false};
    }
    dependency write() {
        return {state, true};
    }
    dependency rw() {
        return {state, true};
    }

  private:
    std::shared_ptr<token_state> state = std::make_shared<token_state>();
};

class stream_ctx {
  public:
    class task_of {
      public:
        task_of(stream_ctx &context, std::vector<dependency> all) : context(context), all(std::move(all)) {
        }

        template <typename... More> void add_deps(const More &...more) {
            (all.push_back(more), ...);
        }

        template <typename Body> void operator->*(Body &&body) {
            const cudaStream_t stream = context.next_stream();
            for (const dependency &d : all) {
                wait(stream, d.state->writes);
                if (d.writes)
                    wait(stream, d.state->reads);
            }
            body(stream);
            auto end = std::make_shared<done>();
            require(cudaEventRecord(end->event, stream));
            for (const dependency &d : all) {
                if (d.writes)
                    *d.state = {{end}, {}};
                else
                    d.state->reads.push_back(end);
            }
            context.all.push_back(end);
        }

      private:
        stream_ctx &context;
        std::vector<dependency> all;
    };

    stream_ctx() {
        for (cudaStream_t &stream : streams)
            require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    stream_ctx(const stream_ctx &) = delete;

    class token token() {
        return {};
    }

    template <typename... Dependencies> task_of task(const Dependencies &...dependencies) {
        return {*this, {dependencies...}};
    }

    cudaStream_t fence() {
        const cudaStream_t stream = next_stream();
        wait(stream, all);
        all.clear();
        return stream;
    }

    void finalize() {
        require(cudaStreamSynchronize(fence()));
        for (cudaStream_t stream : streams)
            require(cudaStreamDestroy(stream));
    }

  private:
    static void wait(cudaStream_t stream, const done_list &list) {
        for (const auto &each : list)
            require(cudaStreamWaitEvent(stream, each->event, 0));
    }
    cudaStream_t next_stream() {
        return streams[next++ % 4];
    }

    cudaStream_t streams[4];
    unsigned next = 0;
    done_list all; // since the last fence
};

} // namespace cuda::experimental::stf
